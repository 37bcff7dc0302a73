import type { ComponentProps } from 'react';
import { classNames } from '../class-names.ts';
import { Field, type FieldWords } from './field.tsx';
import styles from './fields.module.css';

export function TextField({
  label,
  hint,
  error,
  isLabelHidden,
  name,
  className,
  ...rest
}: FieldWords & ComponentProps<'input'>) {
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden} name={name}>
      {(wiring) => <input name={name} {...rest} {...wiring} className={classNames(styles.control, className)} />}
    </Field>
  );
}
