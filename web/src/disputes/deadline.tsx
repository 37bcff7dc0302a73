/** The time that is left in a dispute, counted down by the server's clock. */
import { useTranslation } from 'react-i18next';
import { serverTime } from '../ui/formats/server-clock.ts';
import { useFormats } from '../ui/formats/use-formats.ts';
import { useNow } from '../ui/formats/use-now.ts';

const [DAY, HOUR, MINUTE] = [86_400, 3_600, 60];

export function Deadline({ at }: { at: string }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const deadline = new Date(at);
  const remainingSeconds = Math.floor((deadline.getTime() - serverTime(useNow(1_000)).getTime()) / 1_000);
  if (remainingSeconds <= 0) return <span data-deadline="over">{t('disputes.deadline.over')}</span>;
  // Two units at most: days and hours, hours and minutes, or minutes and seconds.
  const [large, small] =
    remainingSeconds >= DAY ? [DAY, HOUR] : remainingSeconds >= HOUR ? [HOUR, MINUTE] : [MINUTE, 1];
  const parts = [Math.floor(remainingSeconds / large) * large, Math.floor((remainingSeconds % large) / small) * small];
  const words = formats.list(parts.filter((part) => part > 0).map((part) => unitWords(formats, part, large, small)));
  return (
    <time dateTime={deadline.toISOString()} title={formats.absolute(deadline)} data-deadline="open">
      {t('disputes.deadline.left', { span: words })}
    </time>
  );
}

function unitWords(formats: ReturnType<typeof useFormats>, part: number, large: number, small: number): string {
  return formats.unit(part >= large ? part / large : part / small, unitOf(part >= large ? large : small));
}

function unitOf(seconds: number): 'day' | 'hour' | 'minute' | 'second' {
  if (seconds === DAY) return 'day';
  if (seconds === HOUR) return 'hour';
  return seconds === MINUTE ? 'minute' : 'second';
}
