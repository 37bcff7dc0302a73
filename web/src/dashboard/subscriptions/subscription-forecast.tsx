/** Whether the next charge will be paid, in a sentence with its figures. */
import { useTranslation } from 'react-i18next';
import type { SubscriptionFactsFragment } from '../../../../generated/web/documents.ts';
import { tokenOf } from '../../settings.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Note } from '../../ui/state/note.tsx';
import { Time } from '../../ui/state/time.tsx';
import { forecastWords } from './forecast-words.ts';

export function SubscriptionForecast({ subscription }: { subscription: SubscriptionFactsFragment }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { key, tone, needed, found } = forecastWords(subscription);
  const token = tokenOf(subscription.consent?.tokenKey ?? '');
  const print = (units: bigint | undefined) =>
    units === undefined || !token ? '?' : `${formats.token(units, token.decimals).words} ${token.symbol}`;
  const hasFigures = needed !== undefined && found !== undefined && token !== undefined;
  const readAt = subscription.renewalOutlook?.readAt;
  return (
    <Note tone={tone} title={t(`subscriptions.forecast.${key}.title`)}>
      <p data-forecast={key}>
        {t(`subscriptions.forecast.${key}.more`)}{' '}
        {hasFigures && t('subscriptions.forecastFigures', { needed: print(needed), found: print(found) })}
      </p>
      {hasFigures && readAt && (
        <p>
          {t('subscriptions.readAt')} <Time at={readAt} />
        </p>
      )}
    </Note>
  );
}
