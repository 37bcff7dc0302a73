import { useTranslation } from 'react-i18next';
import { chainOf } from '../../settings.ts';
import { Address } from '../../ui/addresses/address.tsx';
import { Time } from '../../ui/state/time.tsx';
import { Table } from '../../ui/tables/table.tsx';
import type { Installation } from './installation.ts';
import styles from './operations.module.css';
import { SendingState } from './sending-state.tsx';

export function OutgoingTable({ outgoing }: { outgoing: Installation['outgoing'] }) {
  const { t } = useTranslation();
  if (outgoing.length === 0) return <p>{t('operations.outgoing.none')}</p>;
  return (
    <Table
      caption={t('operations.outgoing.title')}
      rows={outgoing}
      rowKey={(one) => one.id}
      columns={[
        { key: 'purpose', head: t('operations.outgoing.purpose'), cell: (one) => <span lang="en">{one.purpose}</span> },
        { key: 'chain', head: t('operations.chain'), cell: (one) => chainOf(one.chainId)?.name ?? one.chainId },
        {
          key: 'status',
          isCorner: true,
          head: t('operations.state'),
          cell: (one) => <SendingState state={one.status} tone={one.status === 'FAILED' ? 'bad' : 'wait'} />,
        },
        {
          key: 'nonce',
          head: t('operations.outgoing.nonce'),
          cell: (one) => one.nonce ?? '–',
          align: 'end',
          isWide: true,
        },
        {
          key: 'hash',
          head: t('operations.outgoing.hash'),
          isWide: true,
          cell: (one) => one.txHash && <Address kind="transaction" value={one.txHash} chainId={one.chainId} />,
        },
        {
          key: 'error',
          head: t('operations.outgoing.error'),
          cell: (one) => (
            <span lang="en" className={styles.words}>
              {one.error ?? ''}
            </span>
          ),
        },
        { key: 'at', head: t('operations.since'), cell: (one) => <Time at={one.createdAt} />, isWide: true },
      ]}
    />
  );
}
