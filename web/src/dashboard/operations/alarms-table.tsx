import { useTranslation } from 'react-i18next';
import { Time } from '../../ui/state/time.tsx';
import { Table } from '../../ui/tables/table.tsx';
import type { Installation } from './installation.ts';
import styles from './operations.module.css';

export function AlarmsTable({ alarms }: { alarms: Installation['alarms'] }) {
  const { t } = useTranslation();
  if (alarms.length === 0) return <p>{t('operations.alarms.none')}</p>;
  return (
    <Table
      caption={t('operations.alarms.title')}
      rows={alarms}
      rowKey={(one) => `${one.at} ${one.alarm} ${one.what}`}
      columns={[
        { key: 'at', head: t('operations.alarms.at'), cell: (one) => <Time at={one.at} /> },
        {
          key: 'what',
          head: t('operations.alarms.what'),
          cell: (one) => (
            <span className={styles.advice}>
              {t(`operations.alarms.names.${one.alarm}`, { defaultValue: one.alarm })}
              <br />
              <span lang="en" className={styles.faint}>
                {one.what}
              </span>
            </span>
          ),
        },
        { key: 'alarm', head: t('operations.alarms.alarm'), cell: (one) => <code>{one.alarm}</code>, isWide: true },
      ]}
    />
  );
}
