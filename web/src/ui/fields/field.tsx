/** A label, a hint and an error message around one control, linked to it for screen readers. */
import { type ReactNode, useId } from 'react';
import { Icon } from '../icon.tsx';
import styles from './fields.module.css';
import { useFieldFault } from './form/form-faults.ts';

export type FieldWords = {
  label: ReactNode;
  hint?: ReactNode;
  /** What is wrong with the value, in the viewer's language. */
  error?: ReactNode;
  /** The API's name of the value. The form's error about this value is shown here. */
  name?: string | undefined;
  /** The label is for screen readers only. */
  isLabelHidden?: boolean;
};

export type FieldWiring = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined };

export function Field({
  label,
  hint,
  error: ownError,
  name,
  isLabelHidden,
  children,
}: FieldWords & { children: (wiring: FieldWiring) => ReactNode }) {
  const id = useId();
  const formError = useFieldFault(name);
  const error = ownError ?? formError;
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className={styles.error} role="alert">
          <Icon name="alert" /> <span>{error}</span>
        </p>
      )}
    </div>
  );
}
