/** One customer: its details, wallets, payments and subscriptions. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useParams } from 'wouter';
import { CustomerStoryDocument } from '../../../../generated/web/documents.ts';
import { tokenOf } from '../../settings.ts';
import { Button } from '../../ui/button/button.tsx';
import { CopyButton } from '../../ui/button/copy-button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { Status } from '../../ui/state/status.tsx';
import { Time } from '../../ui/state/time.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { PaymentStatus } from '../payments/payment-status.tsx';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PageFrame } from '../shell/page-frame.tsx';
import type { Customer } from './customer.ts';
import { CustomerDialog } from './customer-dialog.tsx';
import { CustomerFacts } from './customer-facts.tsx';
import { CustomerWallets } from './customer-wallets.tsx';
import styles from './customers.module.css';

export function CustomerPage() {
  const { t } = useTranslation();
  const { id = '' } = useParams();
  const { data, error, isPending, refetch } = useAsk(CustomerStoryDocument, { id });
  if (data) return <CustomerStory customer={data.customer} />;
  return (
    <PageFrame title={t('customers.one')} back={{ href: '/customers', words: t('customers.title') }}>
      {isPending && <Skeleton lines={8} />}
      <ErrorNote error={error} retry={() => refetch()} />
    </PageFrame>
  );
}

function CustomerStory({ customer }: { customer: Customer }) {
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const [isEditing, setEditing] = useState(false);
  return (
    <PageFrame
      back={{ href: '/customers', words: t('customers.title') }}
      title={customer.name ?? customer.email ?? customer.externalId ?? t('customers.nameless')}
      about={
        <span className={styles.id}>
          <code>{customer.id}</code>
          <CopyButton text={customer.id} name={t('customers.id')} />
        </span>
      }
      actions={mayWrite && <Button onPress={() => setEditing(true)}>{t('customers.edit')}</Button>}
    >
      {isEditing && <CustomerDialog customer={customer} onClose={() => setEditing(false)} />}
      <div className={styles.columns}>
        <div className={styles.main}>
          <CustomerWallets customer={customer} />
          <Payments customer={customer} />
          <Subscriptions customer={customer} />
        </div>
        <CustomerFacts customer={customer} />
      </div>
    </PageFrame>
  );
}

function Payments({ customer }: { customer: Customer }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const [, navigate] = useLocation();
  const { paymentIntents: payments, _count } = customer;
  return (
    <section aria-labelledby="payments" className={styles.card}>
      <div className={styles.top}>
        <h2 id="payments">{t('customers.payments', { count: _count.paymentIntents })}</h2>
        {_count.paymentIntents > 0 && (
          <Link href={`/payments?customer=${customer.id}`}>{t('customers.allPayments')}</Link>
        )}
      </div>
      {payments.length === 0 ? (
        <p className={styles.soft}>{t('customers.noPayments')}</p>
      ) : (
        <Table
          caption={t('customers.payments', { count: _count.paymentIntents })}
          rows={payments}
          rowKey={({ id }) => id}
          href={({ id }) => `/dashboard/payments/${id}`}
          open={(href) => navigate(href.replace('/dashboard', ''))}
          columns={[
            {
              key: 'amount',
              head: t('customers.columns.amount'),
              cell: ({ amount, currency }) => formats.fiat(amount, currency),
            },
            {
              key: 'status',
              isCorner: true,
              head: t('customers.columns.status'),
              cell: ({ status, flags }) => <PaymentStatus status={status} flags={flags} isInList />,
            },
            {
              key: 'token',
              head: t('customers.columns.token'),
              cell: ({ cryptoTokenKey: key }) => (key === null ? '–' : (tokenOf(key)?.symbol ?? key)),
              isWide: true,
            },
            {
              key: 'created',
              head: t('customers.columns.created'),
              cell: ({ createdAt }) => <Time at={createdAt} />,
              align: 'end',
            },
          ]}
        />
      )}
    </section>
  );
}

function Subscriptions({ customer }: { customer: Customer }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const { subscriptions, _count } = customer;
  return (
    <section aria-labelledby="subscriptions" className={styles.card}>
      <h2 id="subscriptions">{t('customers.subscriptions', { count: _count.subscriptions })}</h2>
      {subscriptions.length === 0 ? (
        <p className={styles.soft}>{t('customers.noSubscriptions')}</p>
      ) : (
        <Table
          caption={t('customers.subscriptions', { count: _count.subscriptions })}
          rows={subscriptions}
          rowKey={({ id }) => id}
          href={({ id }) => `/dashboard/subscriptions/${id}`}
          open={(href) => navigate(href.replace('/dashboard', ''))}
          columns={[
            {
              key: 'status',
              head: t('customers.columns.status'),
              cell: ({ status }) => <Status status={status} />,
            },
            {
              key: 'until',
              head: t('customers.columns.until'),
              cell: ({ currentPeriodEnd }) => (currentPeriodEnd ? <Time at={currentPeriodEnd} /> : '–'),
            },
            {
              key: 'created',
              head: t('customers.columns.created'),
              cell: ({ createdAt }) => <Time at={createdAt} />,
              align: 'end',
            },
          ]}
        />
      )}
    </section>
  );
}
