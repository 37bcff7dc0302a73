/** A formatted time, with the exact one on hover. */

import { serverTime } from '../formats/server-clock.ts';
import { useFormats } from '../formats/use-formats.ts';
import { useNow } from '../formats/use-now.ts';

export function Time({ at, isAbsolute }: { at: string | Date; isAbsolute?: boolean }) {
  const formats = useFormats();
  const now = serverTime(useNow());
  const instant = typeof at === 'string' ? new Date(at) : at;
  const absolute = formats.absolute(instant);
  // The clock ticks twice a minute, so what has just happened must not be shown as future.
  const seen = instant > now && instant.getTime() - now.getTime() < 60_000 ? now : instant;
  return (
    <time dateTime={instant.toISOString()} title={absolute}>
      {isAbsolute ? absolute : formats.relative(seen, now)}
    </time>
  );
}
