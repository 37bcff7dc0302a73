/** The decision: who signed it, what each side receives, and the signed terms on which it is based. */
import { useTranslation } from 'react-i18next';
import type { DisputeShownFragment } from '../../../generated/web/documents.ts';
import { tokenOf } from '../settings.ts';
import { Address } from '../ui/addresses/address.tsx';
import { Amount } from '../ui/amounts/amount.tsx';
import { useFormats } from '../ui/formats/use-formats.ts';
import { Note } from '../ui/state/note.tsx';
import { Time } from '../ui/state/time.tsx';
import styles from './disputes.module.css';

type Payment = DisputeShownFragment['payment'];
type Split = NonNullable<NonNullable<DisputeShownFragment['resolution']>['split']>;

export function ResolutionFacts({ dispute }: { dispute: DisputeShownFragment }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { resolution, status, payment } = dispute;
  const isOpen = status === 'OPEN';
  if (isOpen && !resolution) return null;
  const chainId = payment.chainId ?? undefined;
  const payerBps = resolution?.payerBps ?? dispute.payerBps ?? null;
  const state = !isOpen ? 'done' : resolution?.status === 'FAILED' ? 'failed' : 'pending';
  return (
    <section aria-label={t('disputes.outcome.title')} className={styles.outcome}>
      <Note
        tone={state === 'failed' ? 'bad' : state === 'pending' ? 'wait' : 'quiet'}
        title={t(`disputes.outcome.${state}`)}
      >
        {payerBps !== null && <p>{t('disputes.outcome.share', { percent: formats.percent(payerBps) })}</p>}
        {state === 'failed' && resolution?.error && <p>{resolution.error}</p>}
      </Note>
      {resolution?.split && <SplitFacts split={resolution.split} payment={payment} />}
      <dl className={styles.facts}>
        {resolution?.decidedBy && (
          <>
            <dt>{t('disputes.outcome.by')}</dt>
            <dd>{t(`disputes.decider.${resolution.decidedBy}`)}</dd>
          </>
        )}
        {dispute.resolvedAt && (
          <>
            <dt>{t('disputes.outcome.at')}</dt>
            <dd>
              <Time at={dispute.resolvedAt} />
            </dd>
          </>
        )}
        {resolution?.sender && (
          <>
            <dt>{t('disputes.outcome.signer')}</dt>
            <dd>
              <Address value={resolution.sender} chainId={chainId} />
            </dd>
          </>
        )}
        {resolution?.txHash && (
          <>
            <dt>{t('disputes.outcome.transaction')}</dt>
            <dd>
              <Address value={resolution.txHash} kind="transaction" chainId={chainId} />
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

/** The amount that each side receives: in base units, in tokens, and in the currency of the payment. */
export function SplitFacts({ split, payment }: { split: Split; payment: Payment }) {
  const { t } = useTranslation();
  const symbol = (payment.tokenKey && tokenOf(payment.tokenKey)?.symbol) || payment.tokenKey || '';
  const rows = [
    ['payer', split.payerAmount, split.payerFiat],
    ['merchant', split.merchantAmount, split.merchantFiat],
    ['fee', split.feeAmount, split.feeFiat],
  ] as const;
  return (
    <dl className={styles.facts} data-split="">
      {rows.flatMap(([side, units, amount]) => [
        <dt key={side}>{t(`disputes.split.${side}`)}</dt>,
        <dd key={`${side}-amount`}>
          <Amount
            fiat={{ amount, currency: split.currency }}
            token={payment.decimals == null ? undefined : { units, decimals: payment.decimals, symbol }}
          />{' '}
          <span className={styles.soft}>{t('disputes.split.units', { units })}</span>
        </dd>,
      ])}
    </dl>
  );
}

/** The terms that both sides signed, and the signatures, including that of the decision once it is signed. */
export function SignedData({ dispute }: { dispute: DisputeShownFragment }) {
  const { t } = useTranslation();
  const { terms, resolution } = dispute;
  if (!terms) return null;
  const signed = {
    termsHash: terms.hash,
    arbiter: terms.arbiter,
    typedData: terms.typedData,
    operatorSignature: terms.operatorSignature,
    payerSignature: terms.payerSignature,
    ...(resolution
      ? {
          resolution: {
            signer: resolution.sender,
            callData: resolution.callData,
            signedTransaction: resolution.signedTransaction,
          },
        }
      : {}),
  };
  return (
    <details>
      <summary>{t('disputes.signed.title')}</summary>
      <p className={styles.soft}>{t('disputes.signed.about')}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <pre className={styles.data} tabIndex={0}>
        {JSON.stringify(signed, null, 2)}
      </pre>
    </details>
  );
}
