/** A filter above a list: all, or one of its values. */
import { Select } from '../../ui/fields/select.tsx';

type FilterSelectProps<Value extends string> = {
  label: string;
  all: string;
  value: Value | undefined;
  onChange: (value: Value | undefined) => void;
  options: readonly { value: Value; words: string }[];
};

export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>) {
  const { label, all, value, onChange, options } = props;
  return (
    <Select<Value | ''>
      label={label}
      isLabelHidden
      value={value ?? ''}
      onChange={(chosen) => onChange(chosen === '' ? undefined : chosen)}
      options={[{ value: '', words: all }, ...options]}
    />
  );
}
