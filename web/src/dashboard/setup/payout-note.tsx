/** A note in a form whose result nobody could pay: the missing payout address, and a link to add it. */
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { SetupPayoutsDocument } from '../../../../generated/web/documents.ts';
import { settings } from '../../settings.ts';
import { Note } from '../../ui/state/note.tsx';
import { everything, type Selection } from '../resources/selections.ts';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { missingPayouts } from './setup-steps.ts';

/** `selection` contains the chains that the form currently allows. */
export function PayoutNote({
  selection = everything,
  isRecurring = false,
}: {
  selection?: Selection;
  isRecurring?: boolean;
}) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const { data } = useAsk(SetupPayoutsDocument, { appId: app.id });
  if (!data?.app) return null;
  const payouts = data.app.payoutAddresses;
  const { isUnpayable, chains } = missingPayouts(settings.chains, {
    mode: app.mode,
    payouts,
    selection,
    isRecurring,
  });
  if (chains.length === 0) return null;
  return (
    <Note tone={isUnpayable ? 'bad' : 'wait'} title={isUnpayable ? t('setup.note.none') : t('setup.note.some')}>
      <p data-payout-note={isUnpayable ? 'none' : 'some'}>
        {t('setup.note.where', { chains: chains.join(', ') })}{' '}
        <Link href="/settings?part=payouts">{t('setup.note.add')}</Link>
      </p>
    </Note>
  );
}
