/** A link that looks like a button. It navigates and changes nothing. */
import type { ComponentProps } from 'react';
import { classNames } from '../class-names.ts';
import { Icon } from '../icon.tsx';
import { type ButtonLook, buttonClass } from './button.tsx';

export function ButtonLink({
  look,
  size,
  icon,
  isWide,
  className,
  children,
  ...rest
}: ButtonLook & ComponentProps<'a'>) {
  return (
    <a {...rest} className={classNames(buttonClass({ look, size, isWide }), className)}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}
