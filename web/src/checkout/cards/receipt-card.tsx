/** Paid: what, when, with which transaction, until when it may be disputed; then back to the shop. */
import { Fragment, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import type { Credential } from '../../api/ask.ts';
import { PayersDispute } from '../../disputes/payers-dispute.tsx';
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
import { receiptWords } from './receipt-words.ts';

const REDIRECT_SECONDS = 8;

type ReceiptCardProps = {
  view: CheckoutViewFragment;
  outcome: Outcome;
  notice: string | undefined;
  /** When this page saw it become paid, by this browser's clock; undefined where it was paid before. Milliseconds. */
  paidAt: number | undefined;
  credential: Credential;
};

export function ReceiptCard({ view, outcome, notice, paidAt, credential }: ReceiptCardProps) {
  const { t } = useTranslation();
  const { successUrl } = view.session;
  const { chainId } = view.payment ?? {};
  const isCustodial = chainId != null && chainOf(chainId)?.escrow === null;
  const isUncollected = outcome === 'refunded' && (view.payment?.undelivered ?? []).length > 0;
  const words = isUncollected
    ? 'uncollected'
    : receiptWords(outcome, { isCustodial, disputeSeconds: view.disputeSeconds });
  const [icon, tone] = outcome === 'refunded' ? (['back', 'quiet'] as const) : (['check', 'good'] as const);
  return (
    <div className={styles.stack} data-outcome={outcome}>
      <CardHead icon={icon} tone={tone} title={t(`checkout.receipt.title.${outcome}`)}>
        {t(`checkout.receipt.words.${words}`, { name: view.appName })}
      </CardHead>
      <CollectNote payment={view.payment} />
      <ReceiptFacts view={view} />
      {view.payment?.disputeId && <PayersDispute disputeId={view.payment.disputeId} credential={credential} />}
      {notice && <Notice name={notice} />}
      <div className={styles.actions}>
        {successUrl && <Back url={successUrl} name={view.appName} paidAt={paidAt} />}
        <Button isWide icon="invoice" onPress={() => window.print()}>
          {t('checkout.receipt.print')}
        </Button>
      </div>
    </div>
  );
}

function ReceiptFacts({ view }: { view: CheckoutViewFragment }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { session, payment, subscription } = view;
  const chainId = payment?.chainId ?? undefined;
  const chain = chainId === undefined ? undefined : chainOf(chainId);
  const token = payment?.tokenKey ? tokenOf(payment.tokenKey) : undefined;
  const paid =
    token && payment?.cryptoAmount ? { ...token, units: payment.cryptoAmount, chain: chain?.name ?? '' } : undefined;
  const rows = [
    { name: t('checkout.receipt.amount'), what: payment && <Amount fiat={session} token={paid} /> },
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
      what: payment?.disputeEndsAt && formats.absolute(new Date(payment.disputeEndsAt)),
    },
    {
      name: t('checkout.receipt.next'),
      what: subscription?.currentPeriodEnd && formats.day(new Date(subscription.currentPeriodEnd)),
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

/** Goes back by itself only where the payer saw it become paid: who comes again to the receipt may read it in peace. */
function Back({ url, name, paidAt }: { url: string; name: string; paidAt: number | undefined }) {
  const { t } = useTranslation();
  const now = useNow(1_000).getTime();
  const left = paidAt === undefined ? undefined : Math.max(0, Math.ceil((paidAt - now) / 1000) + REDIRECT_SECONDS);
  useEffect(() => {
    if (left === 0) location.assign(url);
  }, [left, url]);
  return (
    <>
      <ButtonLink look="primary" size="large" isWide href={url}>
        {t('checkout.receipt.back', { name })}
      </ButtonLink>
      {left !== undefined && <p className={styles.small}>{t('checkout.receipt.soon', { count: left })}</p>}
    </>
  );
}
