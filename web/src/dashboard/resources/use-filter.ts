/** A filter of a list, kept in the URL, so that a view can be shared. A value that is not in `values` is ignored. */
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
