/** The button of all pages. While its action runs, it shows that it is busy and cannot be pressed again. */
import { type ComponentProps, type MouseEvent, type ReactNode, type Ref, useRef, useState } from 'react';
import { classNames } from '../class-names.ts';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon-drawings.ts';
import styles from './button.module.css';

export type ButtonLook = {
  /** `primary` is used at most once on a page, and names the next action. */
  look?: 'primary' | 'plain' | 'bare' | 'danger';
  size?: 'small' | 'normal' | 'large';
  icon?: IconName;
  /** Fills the available width. */
  isWide?: boolean;
};

type ButtonProps = ButtonLook &
  Omit<ComponentProps<'button'>, 'onClick' | 'disabled' | 'ref'> & {
    ref?: Ref<HTMLButtonElement>;
    /** If it returns a promise, the button is busy until the promise settles. The caller shows failures. */
    onPress?: (event: MouseEvent<HTMLButtonElement>) => unknown;
    isBusy?: boolean;
    /** Replaces the label while busy, for example "Waiting for your wallet". */
    busyWords?: ReactNode;
    /** Unlike `disabled`, it keeps the focus and can show the reason. */
    isDisabled?: boolean;
  };

export function Button({
  look = 'plain',
  size = 'normal',
  icon,
  isWide,
  onPress,
  isBusy,
  busyWords,
  isDisabled,
  className,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  const [isRunning, setRunning] = useState(false);
  const running = useRef(false);
  const busy = isBusy || isRunning;

  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (running.current || isBusy || isDisabled) {
      event.preventDefault();
      return;
    }
    const started = onPress?.(event);
    if (!(started instanceof Promise)) return;
    running.current = true;
    setRunning(true);
    const end = () => {
      running.current = false;
      setRunning(false);
    };
    started.then(end, (error: unknown) => {
      end();
      throw error;
    });
  };

  return (
    <button
      {...rest}
      type={type}
      onClick={press}
      aria-disabled={busy || isDisabled || undefined}
      aria-busy={busy || undefined}
      className={classNames(buttonClass({ look, size, isWide }), !children && styles.square, className)}
    >
      {busy ? <span className={styles.wheel} aria-hidden="true" /> : icon && <Icon name={icon} />}
      {busy && busyWords !== undefined ? busyWords : children}
    </button>
  );
}

/** The classes of a button, for a link that looks like one. */
export function buttonClass({ look = 'plain', size = 'normal', isWide }: ButtonLook): string {
  return classNames(styles.button, styles[look], size !== 'normal' && styles[size], isWide && styles.wide);
}
