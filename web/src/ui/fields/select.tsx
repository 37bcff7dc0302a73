/** The browser's own select: it works on phones and for screen readers, and needs no focus trap. */
import type { ComponentProps } from 'react';
import { Icon } from '../icon.tsx';
import { Field, type FieldWords } from './field.tsx';
import styles from './fields.module.css';

type SelectProps<Value extends string> = FieldWords &
  Omit<ComponentProps<'select'>, 'value' | 'onChange' | 'children' | 'className'> & {
    value: Value;
    onChange: (value: Value) => void;
    options: readonly { value: Value; words: string; isDisabled?: boolean }[];
  };

export function Select<Value extends string>({
  label,
  hint,
  error,
  isLabelHidden,
  name,
  value,
  onChange,
  options,
  ...rest
}: SelectProps<Value>) {
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden} name={name}>
      {(wiring) => (
        <span className={styles.choice}>
          <select
            name={name}
            {...rest}
            {...wiring}
            className={styles.control}
            value={value}
            onChange={(event) => {
              const chosen = options.find((option) => option.value === event.target.value);
              if (chosen) onChange(chosen.value);
            }}
          >
            {options.map((option) => (
              <option key={option.value} value={option.value} disabled={option.isDisabled}>
                {option.words}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </span>
      )}
    </Field>
  );
}
