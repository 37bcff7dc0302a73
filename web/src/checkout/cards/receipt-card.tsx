/** The receipt: what was paid, when, by which transaction, until when it may be disputed, and the link back to the shop. */
import { Fragment, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import type { Credential } from '../../api/ask.ts';
import { PayersDispute } from '../../disputes/payers-dispute.tsx';
import { PayeeContact } from '../../refunds/payee-contact.tsx';
import { PayerRefunds } from '../../refunds/payer-refunds.tsx';
import { refundSums } from '../../refunds/refund-summary.ts';
import { chainOf, tokenOf } from '../../settings.ts';
import { Address } from '../../ui/addresses/address.tsx';
import { Amount } from '../../ui/amounts/amount.tsx';
import { Button } from '../../ui/button/button.tsx';
import { ButtonLink } from '../../ui/button/button-link.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { useNow } from '../../ui/formats/use-now.ts';
import type { Outcome } from '../steps.ts';
import { CardHead } from '../view/card-head.tsx';
import styles from '../view/cards.module.css';
import { Notice } from '../view/notice.tsx';
import { CollectNote } from './collect-note.tsx';
import { disputeHead, receiptWords, refundHead } from './receipt-words.ts';

const REDIRECT_SECONDS = 8;

type ReceiptCardProps = {
  view: CheckoutViewFragment;
  outcome: Outcome;
  notice: string | undefined;
  /** When this page saw the payment succeed, in milliseconds by this browser's clock; undefined if it was paid before. */
  paidAt: number | undefined;
  credential: Credential;
};

export function ReceiptCard({ view, outcome, notice, paidAt, credential }: ReceiptCardProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { successUrl } = view.session;
  const tokenWords = (units: bigint) => {
    const token = payment?.tokenKey ? tokenOf(payment.tokenKey) : undefined;
    return `${formats.token(units, token?.decimals ?? 0).words} ${token?.symbol ?? ''}`;
  };
  const { payment } = view;
  const { chainId } = payment ?? {};
  const sums = refundSums(payment?.refunds ?? []);
  const ofRefund = refundHead(outcome, sums);
  const isCustodial = chainId != null && chainOf(chainId)?.escrow === null;
  const dispute = payment?.disputeStatus ?? null;
  const head = ofRefund ?? disputeHead(outcome, dispute);
  const isUncollected = outcome === 'refunded' && (payment?.undelivered ?? []).length > 0;
  const words = isUncollected
    ? 'uncollected'
    : receiptWords(outcome, {
        isCustodial,
        disputeSeconds: view.disputeSeconds,
        isPaidOut: payment?.status === 'SETTLED',
        dispute,
      });
  const [icon, tone] = looks[head ?? (outcome === 'refunded' ? 'refunded' : 'paid')];
  const wayBack = payerPage(payment);
  return (
    <div className={styles.stack} data-outcome={outcome}>
      <CardHead icon={icon} tone={tone} title={t(`checkout.receipt.title.${head ?? outcome}`)}>
        {t(`checkout.receipt.words.${ofRefund ?? words}`, {
          name: view.appName,
          amount: tokenWords(ofRefund === 'refundUnderWay' ? sums.underWay : sums.refunded),
        })}
      </CardHead>
      {view.receiptMessage && outcome !== 'refunded' && <p data-receipt-message>{view.receiptMessage}</p>}
      <CollectNote payment={payment} />
      <ReceiptFacts view={view} refunded={sums.refunded > 0n ? tokenWords(sums.refunded) : null} />
      {payment && <PayerRefunds refunds={payment.refunds} payee={view.appName} />}
      {view.payment?.disputeId && <PayersDispute disputeId={view.payment.disputeId} credential={credential} />}
      {notice && <Notice name={notice} />}
      <div className={styles.actions}>
        {successUrl && <Back url={successUrl} name={view.appName} paidAt={paidAt} />}
        {wayBack && (
          <ButtonLink isWide icon="wallet" href={wayBack}>
            {t('checkout.receipt.payments')}
          </ButtonLink>
        )}
        <Button isWide icon="invoice" onPress={() => window.print()}>
          {t('checkout.receipt.print')}
        </Button>
      </div>
      <PayeeContact contact={view.contact} payee={view.appName} reference={view.session.paymentIntentId} />
    </div>
  );
}

const looks = {
  paid: ['check', 'good'],
  disputed: ['clock', 'wait'],
  decided: ['check', 'quiet'],
  refundUnderWay: ['clock', 'wait'],
  partlyRefunded: ['back', 'good'],
  refunded: ['back', 'quiet'],
} as const;

/** The payer's own page, for a wallet that can sign in there; null if it is already linked to collect a pending payout. */
function payerPage(payment: CheckoutViewFragment['payment']): string | null {
  const chain = payment?.chainId == null ? undefined : chainOf(payment.chainId);
  if (!payment?.walletAddress || chain?.family !== 'EVM' || payment.transfer || payment.undelivered.length > 0)
    return null;
  return `/pay/${payment.walletAddress}`;
}

function ReceiptFacts({ view, refunded }: { view: CheckoutViewFragment; refunded: string | null }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { session, payment, subscription } = view;
  const chainId = payment?.chainId ?? undefined;
  // In the past while the invoice of a renewed consent is not charged yet.
  const next = subscription?.currentPeriodEnd;
  const chain = chainId === undefined ? undefined : chainOf(chainId);
  const token = payment?.tokenKey ? tokenOf(payment.tokenKey) : undefined;
  const paid =
    token && payment?.cryptoAmount ? { ...token, units: payment.cryptoAmount, chain: chain?.name ?? '' } : undefined;
  const rows = [
    { name: t('checkout.receipt.amount'), what: payment && <Amount fiat={session} token={paid} /> },
    { name: t('checkout.receipt.refunded'), what: refunded },
    { name: t('checkout.receipt.at'), what: payment?.authorizedAt && formats.absolute(new Date(payment.authorizedAt)) },
    {
      name: t('checkout.receipt.from'),
      what: payment?.walletAddress && <Address value={payment.walletAddress} chainId={chainId} />,
    },
    {
      name: t('checkout.transaction'),
      what: payment?.txHash && <Address value={payment.txHash} kind="transaction" chainId={chainId} />,
    },
    {
      name: t('checkout.receipt.dispute'),
      what:
        payment?.disputeEndsAt && payment.status !== 'REFUNDED' && formats.absolute(new Date(payment.disputeEndsAt)),
    },
    {
      name: t('checkout.receipt.next'),
      what: next && Date.parse(next) > Date.parse(view.now) && formats.day(new Date(next)),
    },
    { name: t('checkout.receipt.reference'), what: session.paymentIntentId && <code>{session.paymentIntentId}</code> },
  ];
  return (
    <dl className={styles.facts}>
      {rows.map(
        ({ name, what }) =>
          what && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{what}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}

/**
 * Redirects automatically only if the payer saw the payment succeed, and neither prints the receipt nor chooses to stay. A payer who
 * reopens the receipt can read it undisturbed.
 */
function Back({ url, name, paidAt }: { url: string; name: string; paidAt: number | undefined }) {
  const { t } = useTranslation();
  const now = useNow(1_000).getTime();
  const [isStaying, setStaying] = useState(false);
  useEffect(() => {
    const stay = () => setStaying(true);
    addEventListener('beforeprint', stay);
    return () => removeEventListener('beforeprint', stay);
  }, []);
  const remainingSeconds =
    paidAt === undefined || isStaying ? undefined : Math.max(0, Math.ceil((paidAt - now) / 1000) + REDIRECT_SECONDS);
  useEffect(() => {
    if (remainingSeconds === 0) location.assign(url);
  }, [remainingSeconds, url]);
  return (
    <>
      <ButtonLink look="primary" size="large" isWide href={url}>
        {t('checkout.receipt.back', { name })}
      </ButtonLink>
      {remainingSeconds !== undefined && (
        <>
          <p className={styles.small}>{t('checkout.receipt.soon', { count: remainingSeconds })}</p>
          <Button look="bare" isWide onPress={() => setStaying(true)} data-action="stay">
            {t('checkout.receipt.stay')}
          </Button>
        </>
      )}
    </>
  );
}
