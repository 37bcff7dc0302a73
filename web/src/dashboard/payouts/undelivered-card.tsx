/** Money that the escrow could not pay out: its recipient, the reason, what happens automatically, and a button that retries now. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PayoutsDeliverDocument } from '../../../../generated/web/documents.ts';
import { chainOf, tokenOf } from '../../settings.ts';
import { Address } from '../../ui/addresses/address.tsx';
import { Button } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Note } from '../../ui/state/note.tsx';
import { Status } from '../../ui/state/status.tsx';
import { Time } from '../../ui/state/time.tsx';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { questionKey } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import styles from './payouts.module.css';
import { deliveryStateOf, type UndeliveredPayout } from './undelivered-payout.ts';

/** A failed attempt has no event, so the page polls at this interval. */
const TRYING_MS = 2_000;

type UndeliveredCardProps = {
  payout: UndeliveredPayout;
  /** The payment with which it is delivered. */
  paymentIntentId: string;
  /** The GraphQL document from which the payout was read. */
  from: object;
  /** The payments of the payout, if the page does not show them. */
  children?: ReactNode;
};

export function UndeliveredCard({ payout, paymentIntentId, from, children }: UndeliveredCardProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const id = useId();
  const { role, recipient, chainId, tokenKey, amount, since, nextTryAt } = payout;
  const token = tokenOf(tokenKey);
  const symbol = token?.symbol ?? tokenKey;
  const figure = `${formats.token(amount, token?.decimals ?? 0).exact} ${symbol}`;
  const words = { amount: figure, symbol, chain: chainOf(chainId)?.name ?? String(chainId) };
  const kind = kindOf(chainOf(chainId)?.family, token?.address);
  return (
    <section aria-labelledby={id} className={styles.card} data-undelivered={role}>
      <div className={styles.head}>
        <h2 id={id}>{t(`payouts.title.${role}`, words)}</h2>
        <Status status="UNDELIVERED" tone="wait">
          {t('payouts.undelivered')}
        </Status>
      </div>
      <p>{t(`payouts.why.${kind}`, words)}</p>
      <p>
        {t(kind === 'small' ? 'payouts.keptBySluice' : 'payouts.kept')} {t(`payouts.way.${kind}`, words)}
      </p>
      {role === 'MERCHANT' && <p>{t('payouts.fixed')}</p>}
      <dl className={styles.facts}>
        <dt>{t('payouts.recipient')}</dt>
        <dd>
          <Address value={recipient} chainId={chainId} />
        </dd>
        <dt>{t('payouts.since')}</dt>
        <dd>
          <Time at={since} />
        </dd>
        <dt>{t('payouts.next')}</dt>
        <dd>
          <Time at={nextTryAt} />
        </dd>
      </dl>
      <Delivery payout={payout} paymentIntentId={paymentIntentId} from={from}>
        {children}
      </Delivery>
    </section>
  );
}

/** On Solana, no contract keeps undelivered money. A share that could not be paid there is too small an amount of the coin. */
function kindOf(family: string | undefined, tokenAddress: string | undefined): 'small' | 'coin' | 'token' {
  if (family === 'SOLANA') return 'small';
  return tokenAddress === 'native' ? 'coin' : 'token';
}

function Delivery({ payout, paymentIntentId, from, children }: UndeliveredCardProps) {
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const client = useQueryClient();
  const deliver = useApiMutation(PayoutsDeliverDocument, { changes: [from] });
  const [askedAt, setAskedAt] = useState<string>();
  const state = deliveryStateOf(payout, askedAt);
  const isMoving = state === 'ASKED' || state === 'SENT';
  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(() => void client.invalidateQueries({ queryKey: questionKey(from) }), TRYING_MS);
    return () => clearInterval(timer);
  }, [isMoving, client, from]);
  const press = () =>
    deliver.mutateAsync({ id: paymentIntentId }).then(
      ({ deliverPayouts }) => setAskedAt(deliverPayouts.undelivered[0]?.nextTryAt),
      () => {},
    );
  return (
    <>
      <div role="status">
        {state === 'SENT' && <Note title={t('payouts.sent')} />}
        {state === 'REFUSED' && <Note tone="wait" title={t('payouts.refused')} />}
      </div>
      <ErrorNote error={deliver.error} />
      <div className={styles.buttons}>
        {/* Only for convenience: the API refuses viewers regardless of what the page shows. */}
        {mayWrite && (
          <Button onPress={press} isBusy={isMoving} busyWords={t('payouts.delivering')}>
            {t('payouts.deliver')}
          </Button>
        )}
        {children}
      </div>
    </>
  );
}
