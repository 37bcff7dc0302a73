import { useTranslation } from 'react-i18next';
import { useLocation, useRouter } from 'wouter';
import { chainOf, tokenOf } from '../../settings.ts';
import { Address } from '../../ui/addresses/address.tsx';
import { Amount } from '../../ui/amounts/amount.tsx';
import { Empty } from '../../ui/state/empty.tsx';
import { Time } from '../../ui/state/time.tsx';
import { type Column, Table } from '../../ui/tables/table.tsx';
import { payerName } from '../payments/payer-name.ts';
import { PaymentStatus } from '../payments/payment-status.tsx';
import { FirstPaymentWays } from '../setup/first-payment-ways.tsx';
import type { LivePayment } from './newest-payments.ts';
import styles from './overview.module.css';

type NewestPaymentsProps = { payments: readonly LivePayment[] | undefined; fresh: ReadonlySet<string> };

export function NewestPayments({ payments, fresh }: NewestPaymentsProps) {
  const { t } = useTranslation();
  const [, go] = useLocation();
  const { base } = useRouter();
  const columns: Column<LivePayment>[] = [
    {
      key: 'amount',
      head: t('overview.newest.amount'),
      cell: (payment) => (
        <>
          <AmountOf payment={payment} />
          {payerName(payment) && <span className={styles.narrowPayer}>{payerName(payment)}</span>}
        </>
      ),
    },
    {
      key: 'status',
      head: t('overview.newest.status'),
      cell: ({ status, flags, createdAt }) => (
        <>
          <PaymentStatus status={status} flags={flags} isInList />
          <span className={styles.narrowTime}>
            <Time at={createdAt} />
          </span>
        </>
      ),
    },
    {
      key: 'from',
      head: t('overview.newest.from'),
      isWide: true,
      cell: (payment) => {
        const { customerAccount, authorizationWalletAddress: wallet } = payment;
        const name = payerName(payment);
        if (name) return <span title={customerAccount?.email ?? undefined}>{name}</span>;
        return wallet ? <Address value={wallet} isBare /> : '–';
      },
    },
    {
      key: 'reference',
      head: t('overview.newest.reference'),
      isWide: true,
      cell: ({ externalId }) => <span className={styles.reference}>{externalId ?? '–'}</span>,
    },
    {
      key: 'when',
      head: t('overview.newest.when'),
      align: 'end',
      isWide: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ];
  return (
    <section aria-labelledby="newest" className={styles.newest}>
      <h2 id="newest">{t('overview.newest.title')}</h2>
      {payments?.length === 0 ? (
        <NoPayments />
      ) : (
        <Table
          caption={t('overview.newest.title')}
          columns={columns}
          rows={payments ?? []}
          rowKey={({ id }) => id}
          href={({ id }) => `${base}/payments/${id}`}
          open={(href) => go(href.slice(base.length))}
          isFresh={({ id }) => fresh.has(id)}
          isLoading={payments === undefined}
        />
      )}
    </section>
  );
}

function AmountOf({ payment }: { payment: LivePayment }) {
  const token = payment.cryptoTokenKey ? tokenOf(payment.cryptoTokenKey) : undefined;
  const paid = payment.cryptoAmount && token && payment.authorizationChainId !== null;
  return (
    <Amount
      fiat={payment}
      token={
        paid
          ? {
              units: payment.cryptoAmount ?? '0',
              decimals: token.decimals,
              symbol: token.symbol,
              chain: chainOf(token.chainId)?.name ?? String(token.chainId),
            }
          : undefined
      }
    />
  );
}

function NoPayments() {
  const { t } = useTranslation();
  return (
    <Empty title={t('overview.empty.title')} actions={<FirstPaymentWays />}>
      {t('overview.empty.about')}
    </Empty>
  );
}
