import type { ComponentProps } from 'react';
import { classNames } from '../class-names.ts';
import { Field, type FieldWords } from './field.tsx';
import styles from './fields.module.css';

export function TextArea({
  label,
  hint,
  error,
  isLabelHidden,
  name,
  className,
  ...rest
}: FieldWords & ComponentProps<'textarea'>) {
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden} name={name}>
      {(wiring) => <textarea name={name} {...rest} {...wiring} className={classNames(styles.control, className)} />}
    </Field>
  );
}
