/** A filter of a list, kept in the address bar, so that a view can be shared. What is none of `values` counts as none. */
import { useSearchParams } from 'wouter';

export function useFilter<Value extends string>(
  name: string,
  values: readonly Value[],
): [Value | undefined, (value: Value | undefined) => void] {
  const [search, setSearch] = useSearchParams();
  const here = search.get(name);
  const choose = (value: Value | undefined) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === undefined) next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return [values.find((value) => value === here), choose];
}
