/** One payment: the order, its money, its history, and the collapsed technical details. The actions are at the top. */
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'wouter';
import { PaymentStoryDocument } from '../../../../../generated/web/documents.ts';
import { chainOf, tokenOf } from '../../../settings.ts';
import { Amount } from '../../../ui/amounts/amount.tsx';
import { Button } from '../../../ui/button/button.tsx';
import { CopyButton } from '../../../ui/button/copy-button.tsx';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { ErrorNote } from '../../../ui/state/error-note.tsx';
import { Note } from '../../../ui/state/note.tsx';
import { Skeleton } from '../../../ui/state/skeleton.tsx';
import { Status } from '../../../ui/state/status.tsx';
import { UndeliveredCard } from '../../payouts/undelivered-card.tsx';
import { PageFrame } from '../../shell/page-frame.tsx';
import { PaymentStatus } from '../payment-status.tsx';
import { DisputeCard } from './dispute-card.tsx';
import { FactList } from './fact-list.tsx';
import { MomentList } from './moment-list.tsx';
import { MoneyCard } from './money-card.tsx';
import { OrderCard } from './order-card.tsx';
import { PaymentActions } from './payment-actions.tsx';
import styles from './payment-page.module.css';
import type { PaymentStory } from './payment-steps.ts';
import { JsonDialog } from './technical/json-dialog.tsx';
import { TechnicalDetails } from './technical/technical-details.tsx';
import { TransferFacts } from './transfer-facts.tsx';
import { usePayment } from './use-payment.ts';
import { Verification } from './verification.tsx';

export function PaymentPage() {
  const { t } = useTranslation();
  const { id = '' } = useParams();
  const query = usePayment(id);
  if (query.data) return <Payment payment={query.data} />;
  return (
    <PageFrame title={t('payments.one.name')} back={back(t)}>
      {query.isPending && <Skeleton lines={8} />}
      {query.isError && <ErrorNote error={query.error} retry={() => query.refetch()} />}
    </PageFrame>
  );
}

function back(t: TFunction): { href: string; words: string } {
  return { href: '/payments', words: t('payments.title') };
}

/** Steps of Sluice that wait for a person to act, with the reason. */
function waitingOf({ transactions }: PaymentStory): { id: string; error: string }[] {
  return transactions.flatMap(({ id, status, error }) => (status === 'PENDING' && error ? [{ id, error }] : []));
}

function Payment({ payment }: { payment: PaymentStory }) {
  const { t } = useTranslation();
  const [isJsonOpen, setJsonOpen] = useState(false);
  const { cryptoAmount, cryptoTokenDecimals, cryptoTokenKey, authorizationChainId: chainId } = payment;
  const chain = chainId === null ? undefined : chainOf(chainId);
  const token =
    cryptoAmount == null || cryptoTokenDecimals == null
      ? undefined
      : {
          units: cryptoAmount,
          decimals: cryptoTokenDecimals,
          symbol: tokenOf(cryptoTokenKey ?? '')?.symbol ?? cryptoTokenKey ?? '',
          ...(chain ? { chain: chain.name } : {}),
        };
  return (
    <PageFrame
      back={back(t)}
      title={
        <>
          <span className="visually-hidden">{t('payments.one.name')} </span>
          <Amount fiat={payment} token={token} size="large" />
        </>
      }
      about={
        <span className={styles.badges}>
          <PaymentStatus status={payment.status} flags={payment.flags} />
          {chain?.family === 'SOLANA' && (
            <span title={t('payments.one.custodialWhy')}>
              <Status status="CUSTODIAL" tone="wait">
                {t('payments.one.custodial')}
              </Status>
            </span>
          )}
          <span className={styles.id}>
            <code>{payment.id}</code>
            <CopyButton text={payment.id} name={t('payments.one.id')} />
          </span>
        </span>
      }
      actions={
        <>
          <PaymentActions payment={payment} />
          <Button icon="code" onPress={() => setJsonOpen(true)}>
            JSON
          </Button>
        </>
      }
    >
      {isJsonOpen && <JsonDialog title={t('payments.one.json')} value={payment} onClose={() => setJsonOpen(false)} />}
      <div className={styles.page}>
        <OrderCard payment={payment} />
        <MoneyCard payment={payment} />
        <div className={styles.story}>
          <Waits payment={payment} />
          {payment.dispute && <DisputeCard payment={payment} dispute={payment.dispute} />}
          <MomentList payment={payment} />
        </div>
        <div className={styles.side}>
          <TransferFacts payment={payment} />
          <Metadata payment={payment} />
          <Verification id={payment.id} updatedAt={payment.updatedAt} />
        </div>
      </div>
      <TechnicalDetails payment={payment} />
    </PageFrame>
  );
}

/** What the payment is waiting for, and until when. */
function Waits({ payment }: { payment: PaymentStory }) {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <>
      {payment.settlementWaitsUntil && (
        <Note
          tone="wait"
          title={t('payouts.waits', { until: formats.absolute(new Date(payment.settlementWaitsUntil)) })}
        />
      )}
      {waitingOf(payment).map(({ id, error }) => (
        <Note key={id} tone="wait" title={t('payouts.queued', { why: error })} />
      ))}
      {payment.undelivered.map((payout) => (
        <UndeliveredCard key={payout.id} payout={payout} paymentIntentId={payment.id} from={PaymentStoryDocument} />
      ))}
    </>
  );
}

function Metadata({ payment }: { payment: PaymentStory }) {
  const { t } = useTranslation();
  const entries = Object.entries(payment.metadata ?? {});
  if (entries.length === 0) return null;
  return (
    <section aria-labelledby="metadata" className={styles.card}>
      <h2 id="metadata">{t('payments.facts.metadata')}</h2>
      <FactList
        facts={entries.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)])}
      />
    </section>
  );
}
