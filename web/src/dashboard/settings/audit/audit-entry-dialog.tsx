/** An entry of the audit log: its actor, the actor's IP address, its target, and each field before and after. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { SettingsAuditEntryFragment } from '../../../../../generated/web/documents.ts';
import { Button } from '../../../ui/button/button.tsx';
import { CopyButton } from '../../../ui/button/copy-button.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { Time } from '../../../ui/state/time.tsx';
import { Table } from '../../../ui/tables/table.tsx';
import { useDashboard } from '../../session/use-dashboard.ts';
import styles from './audit.module.css';
import { changesOf } from './changes.ts';
import { targetWay } from './target-way.ts';
import { useActionWords } from './use-action-words.ts';

type AuditEntryDialogProps = { entry: SettingsAuditEntryFragment; onClose: () => void };

export function AuditEntryDialog({ entry, onClose }: AuditEntryDialogProps) {
  const { t } = useTranslation();
  const [, go] = useLocation();
  const { apps } = useDashboard();
  const wordsOf = useActionWords();
  const way = targetWay(entry);
  const facts: [name: string, value: ReactNode][] = [
    [t('audit.actor'), `${entry.actorName} (${t(`audit.actors.${entry.actorKind}`)})`],
    [t('audit.address'), entry.address],
    [t('audit.userAgent'), entry.userAgent],
    [t('audit.app'), entry.appId && (apps.find(({ id }) => id === entry.appId)?.name ?? entry.appId)],
    [t('audit.target'), entry.targetId && <code>{`${entry.targetType} ${entry.targetId}`}</code>],
    [t('audit.request'), <code key="request">{entry.requestId}</code>],
  ];
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={wordsOf(entry.action)}
      about={<Time at={entry.createdAt} isAbsolute />}
      actions={
        <>
          {/* A path that starts with ~ is absolute. Without it, wouter would prepend the base path a second time. */}
          {way && <Button onPress={() => go(`~/dashboard${way}`)}>{t('audit.show')}</Button>}
          <Button look="primary" onPress={onClose}>
            {t('everywhere.close')}
          </Button>
        </>
      }
    >
      <dl className={styles.facts}>
        {facts.map(([name, value]) => value && <Fact key={name} name={name} value={value} />)}
      </dl>
      <Changes entry={entry} />
      <CopyButton text={JSON.stringify(entry, null, 2)} name={t('audit.entry')} hasWords />
    </Dialog>
  );
}

function Fact({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function Changes({ entry }: { entry: SettingsAuditEntryFragment }) {
  const { t } = useTranslation();
  const changes = changesOf(entry);
  if (changes.length === 0) return null;
  return (
    <Table
      caption={t('audit.changes')}
      rows={changes}
      rowKey={({ field }) => field}
      columns={[
        { key: 'field', head: t('audit.field'), cell: ({ field }) => field },
        { key: 'before', head: t('audit.before'), cell: ({ before }) => <Value text={before} /> },
        { key: 'after', head: t('audit.after'), cell: ({ after }) => <Value text={after} /> },
      ]}
    />
  );
}

function Value({ text }: { text: string | null }) {
  return text === null ? '–' : <span className={styles.value}>{text}</span>;
}
