import { useTranslation } from 'react-i18next';
import { Time } from '../../ui/state/time.tsx';
import { Table } from '../../ui/tables/table.tsx';
import type { Installation } from './installation.ts';
import styles from './operations.module.css';
import { SendingState } from './sending-state.tsx';

export function StuckTable({ stuck }: { stuck: Installation['stuck'] }) {
  const { t } = useTranslation();
  if (stuck.length === 0) return <p>{t('operations.stuck.none')}</p>;
  return (
    <Table
      caption={t('operations.stuck.title')}
      rows={stuck}
      rowKey={(one) => `${one.kind}:${one.id}`}
      columns={[
        { key: 'kind', head: t('operations.stuck.kind'), cell: (one) => t(`operations.stuck.kinds.${one.kind}`) },
        {
          key: 'action',
          head: t('operations.next'),
          cell: (one) => (
            <span className={styles.advice}>
              <Words
                keys={[`operations.stuck.actions.${one.state}`, `operations.stuck.actions.${one.kind}`]}
                values={{ id: one.id }}
                english={one.action}
              />
            </span>
          ),
        },
        {
          key: 'id',
          head: t('operations.stuck.id'),
          cell: (one) => <code className={styles.id}>{one.id}</code>,
          isWide: true,
        },
        {
          key: 'state',
          isCorner: true,
          head: t('operations.state'),
          cell: (one) => <SendingState state={one.state} tone="wait" />,
        },
        {
          key: 'what',
          head: t('operations.stuck.what'),
          cell: ({ kind, what, error }) => (
            <span className={styles.words}>
              <Words keys={error === null ? [`operations.stuck.waits.${kind}`] : []} english={error ?? what} />
            </span>
          ),
          isWide: true,
        },
        { key: 'since', head: t('operations.since'), cell: (one) => <Time at={one.since} /> },
      ]}
    />
  );
}

type WordsProps = { keys: readonly string[]; values?: Record<string, string>; english: string };

/** The text of the first key that exists, and otherwise the API's sentence, which is in English. */
function Words({ keys, values = {}, english }: WordsProps) {
  const { t, i18n } = useTranslation();
  const known = keys.find((key) => i18n.exists(key));
  return known === undefined ? <span lang="en">{english}</span> : t(known, values);
}
