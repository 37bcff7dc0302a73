/** The x402 payments to other servers that keys of the app settled, newest first. They have no payment page of their own. */
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import {
  ServerPaymentListDocument,
  type ServerPaymentListQuery,
  ServerPaymentSettingDocument,
} from '../../../../../generated/web/documents.ts';
import { chainOf, tokenOf } from '../../../settings.ts';
import { Address } from '../../../ui/addresses/address.tsx';
import { Amount } from '../../../ui/amounts/amount.tsx';
import { buttonClass } from '../../../ui/button/button.tsx';
import { useFormats } from '../../../ui/formats/use-formats.ts';
import { Status } from '../../../ui/state/status.tsx';
import { Time } from '../../../ui/state/time.tsx';
import { FilterSelect } from '../../resources/filter-select.tsx';
import { ResourceList } from '../../resources/resource-list.tsx';
import styles from '../../resources/resources.module.css';
import { useAskPages } from '../../resources/use-ask-pages.ts';
import { useFilter } from '../../resources/use-filter.ts';
import { useAsk } from '../../session/use-ask.ts';
import { useDashboard } from '../../session/use-dashboard.ts';
import { PageFrame } from '../../shell/page-frame.tsx';
import { hostOf } from '../host-of.ts';

type ServerPayment = ServerPaymentListQuery['facilitatedPayments']['nodes'][number];

const statuses = ['PENDING', 'SETTLED', 'FAILED'] as const;

export function ServerPaymentsPage() {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const [status, show] = useFilter('status', statuses);
  const list = useAskPages(
    ServerPaymentListDocument,
    { appId: app.id, ...(status ? { status: [status] } : {}) },
    (result) => result.facilitatedPayments,
    // These payments are not made by people who use the dashboard.
    { isReadWhenOpened: true },
  );
  const setting = useAsk(ServerPaymentSettingDocument, { id: app.id });
  const isOn = setting.data?.app.x402.settlesForOthers === true;
  const toSettings = (
    <Link href="/settings?part=general" className={buttonClass({})}>
      {t('payments.servers.settings')}
    </Link>
  );
  return (
    <PageFrame
      title={t('payments.servers.title')}
      about={t('payments.servers.about')}
      back={{ href: '/payments', words: t('payments.title') }}
    >
      <ResourceList
        caption={t('payments.servers.title')}
        {...list}
        isFiltered={status !== undefined}
        filters={
          <FilterSelect
            label={t('payments.servers.show')}
            all={t('payments.servers.all')}
            value={status}
            onChange={show}
            options={statuses.map((value) => ({ value, words: t(`payments.servers.status.${value}`) }))}
          />
        }
        empty={{
          title: t('payments.servers.empty'),
          about: t(isOn ? 'payments.servers.emptyOn' : 'payments.servers.emptyOff'),
          actions: toSettings,
        }}
        columns={[
          { key: 'amount', head: t('payments.servers.columns.amount'), cell: (row) => <Paid row={row} /> },
          {
            key: 'status',
            isCorner: true,
            head: t('payments.servers.columns.status'),
            cell: (row) => <Status status={row.status}>{t(`payments.servers.status.${row.status}`)}</Status>,
          },
          { key: 'resource', head: t('payments.servers.columns.resource'), cell: (row) => <Resource row={row} /> },
          { key: 'fee', head: t('payments.servers.columns.fee'), cell: (row) => <Fee row={row} /> },
          { key: 'gas', head: t('payments.servers.columns.gas'), cell: (row) => <Gas row={row} /> },
          {
            key: 'transaction',
            head: t('payments.servers.columns.transaction'),
            cell: ({ txHash, chainId }) =>
              txHash ? <Address kind="transaction" value={txHash} chainId={chainId} /> : '–',
          },
          {
            key: 'created',
            head: t('payments.servers.columns.created'),
            isWide: true,
            cell: ({ createdAt }) => <Time at={createdAt} />,
          },
        ]}
      />
    </PageFrame>
  );
}

function Paid({ row: { amount, valueUsd, tokenKey, chainId } }: { row: ServerPayment }) {
  const token = tokenOf(tokenKey);
  const chain = chainOf(chainId);
  // A token that was removed from the configuration has no decimals here.
  if (!token) return `${amount} ${tokenKey}`;
  return (
    <Amount
      fiat={valueUsd === null ? undefined : { amount: valueUsd, currency: 'USD' }}
      token={{
        units: amount,
        decimals: token.decimals,
        symbol: token.symbol,
        ...(chain ? { chain: chain.name } : {}),
      }}
    />
  );
}

function Resource({ row: { resource, payTo, chainId, failureMessage } }: { row: ServerPayment }) {
  return (
    <span className={styles.stack}>
      {resource === null ? (
        <Address value={payTo} chainId={chainId} />
      ) : (
        <span title={resource}>{hostOf(resource)}</span>
      )}
      {failureMessage && <span className={styles.quiet}>{failureMessage}</span>}
    </span>
  );
}

/** Only settled payments are billed. */
function Fee({ row: { status, feeAmount, feeBps, tokenKey } }: { row: ServerPayment }) {
  const formats = useFormats();
  const token = tokenOf(tokenKey);
  if (status === 'FAILED') return '–';
  const figure = token ? `${formats.token(feeAmount, token.decimals).exact} ${token.symbol}` : feeAmount;
  return (
    <span className={styles.stack}>
      {figure}
      <span className={styles.quiet}>{formats.percent(feeBps)}</span>
    </span>
  );
}

/** Paid by the installation, also for payments that failed. */
function Gas({ row: { gasCost } }: { row: ServerPayment }) {
  const formats = useFormats();
  if (!gasCost) return '–';
  const { amount, amountUsd, coin, decimals } = gasCost;
  const figure = formats.token(amount, decimals);
  return (
    <span className={styles.stack} title={`${figure.exact} ${coin}`}>
      {amountUsd !== null && formats.smallFiat(amountUsd, 'USD')}
      <span className={styles.quiet}>{`${figure.words} ${coin}`}</span>
    </span>
  );
}
