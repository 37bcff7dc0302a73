import { useTranslation } from 'react-i18next';
import { chainOf } from '../../settings.ts';
import { Address } from '../../ui/addresses/address.tsx';
import { Amount } from '../../ui/amounts/amount.tsx';
import { Status } from '../../ui/state/status.tsx';
import { Table } from '../../ui/tables/table.tsx';
import type { Installation } from './installation.ts';
import styles from './operations.module.css';

/** Ten years. A longer estimate has no meaning. */
const MANY_DAYS = 3_650;

export function SendersTable({ senders }: { senders: Installation['senders'] }) {
  const { t } = useTranslation();
  return (
    <Table
      caption={t('operations.senders.title')}
      rows={senders}
      rowKey={(sender) => `${sender.chainId}:${sender.address}`}
      columns={[
        {
          key: 'key',
          head: t('operations.senders.key'),
          cell: (one) => <Address value={one.address} chainId={one.chainId} />,
        },
        { key: 'chain', head: t('operations.chain'), cell: (one) => chainOf(one.chainId)?.name ?? one.chainId },
        {
          key: 'left',
          head: t('operations.senders.left'),
          align: 'end',
          cell: ({ chainId, left, decimals }) =>
            left === null ? (
              '–'
            ) : (
              <span className={styles.figure}>
                <Amount token={{ units: BigInt(left), decimals, symbol: chainOf(chainId)?.native.symbol ?? '' }} />
              </span>
            ),
        },
        {
          key: 'days',
          head: t('operations.senders.days'),
          align: 'end',
          cell: ({ daysLeft }) => {
            if (daysLeft === null) return '–';
            if (daysLeft > MANY_DAYS) return t('operations.senders.daysMany');
            return t('operations.senders.daysOf', { count: daysLeft });
          },
        },
        {
          key: 'state',
          isCorner: true,
          head: t('operations.state'),
          cell: ({ left, isLow }) => {
            const state = left === null ? 'UNKNOWN' : isLow ? 'LOW' : 'ENOUGH';
            return (
              <Status status={state} tone={state === 'ENOUGH' ? 'good' : state === 'LOW' ? 'bad' : 'wait'}>
                {t(`operations.senders.states.${state}`)}
              </Status>
            );
          },
        },
      ]}
    />
  );
}
