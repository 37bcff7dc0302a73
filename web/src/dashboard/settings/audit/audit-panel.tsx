/** The audit log of the merchant, newest first. The URL contains its filters. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SettingsAuditDocument, type SettingsAuditEntryFragment } from '../../../../../generated/web/documents.ts';
import { Button } from '../../../ui/button/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Empty } from '../../../ui/state/empty.tsx';
import { ErrorNote } from '../../../ui/state/error-note.tsx';
import { Note } from '../../../ui/state/note.tsx';
import { Time } from '../../../ui/state/time.tsx';
import { type Column, Table } from '../../../ui/tables/table.tsx';
import { FilterSelect } from '../../resources/filter-select.tsx';
import { useAskPages } from '../../resources/use-ask-pages.ts';
import { useFilter } from '../../resources/use-filter.ts';
import { useDashboard } from '../../session/use-dashboard.ts';
import { Panel } from '../../shell/panel.tsx';
import styles from './audit.module.css';
import { AuditEntryDialog } from './audit-entry-dialog.tsx';
import { type AuditFilters, actionGroups, actorKinds, filterOf } from './audit-filters.ts';
import { ExportAudit } from './export-audit.tsx';
import { useActionWords } from './use-action-words.ts';

export function AuditPanel() {
  const { t } = useTranslation();
  const { apps, mayWrite } = useDashboard();
  const [group, setGroup] = useFilter('action', actionGroups);
  const [actorKind, setActorKind] = useFilter('actor', actorKinds);
  const [appId, setAppId] = useFilter(
    'of',
    apps.map(({ id }) => id),
  );
  const filters: AuditFilters = { group, actorKind, appId };
  const title = t('settings.parts.audit');
  if (!mayWrite) {
    return (
      <Panel title={title} about={t('audit.about')}>
        <Note>{t('audit.viewer')}</Note>
      </Panel>
    );
  }
  return (
    <Panel title={title} about={t('audit.about')} actions={<ExportAudit filters={filters} />}>
      <div className={styles.filters}>
        <FilterSelect
          label={t('audit.action')}
          all={t('audit.anyAction')}
          value={group}
          onChange={setGroup}
          options={actionGroups.map((value) => ({ value, words: t(`audit.groups.${value}`) }))}
        />
        <FilterSelect
          label={t('audit.actor')}
          all={t('audit.anyActor')}
          value={actorKind}
          onChange={setActorKind}
          options={actorKinds.map((value) => ({ value, words: t(`audit.actors.${value}`) }))}
        />
        <FilterSelect
          label={t('audit.app')}
          all={t('audit.anyApp')}
          value={appId}
          onChange={setAppId}
          options={apps.map(({ id, name }) => ({ value: id, words: name }))}
        />
      </div>
      <AuditTable filters={filters} />
    </Panel>
  );
}

function AuditTable({ filters }: { filters: AuditFilters }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<SettingsAuditEntryFragment>();
  const columns = useColumns(setOpen);
  const log = useAskPages(SettingsAuditDocument, { filter: filterOf(filters) }, ({ auditLog }) => auditLog);
  const isEmpty = !log.isLoading && log.rows.length === 0 && !log.error;
  return (
    <>
      <ErrorNote error={log.error} retry={log.retry} />
      {isEmpty ? (
        <Empty title={t('audit.none')} />
      ) : (
        <Table
          caption={t('settings.parts.audit')}
          columns={columns}
          rows={log.rows}
          rowKey={({ id }) => id}
          isLoading={log.isLoading}
        />
      )}
      {log.hasMore && (
        <div className={styles.more}>
          <Button isBusy={log.isLoadingMore} onPress={() => log.loadMore()}>
            {t('audit.more')}
          </Button>
        </div>
      )}
      {open && <AuditEntryDialog entry={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function useColumns(open: (entry: SettingsAuditEntryFragment) => void): Column<SettingsAuditEntryFragment>[] {
  const { t } = useTranslation();
  const wordsOf = useActionWords();
  return [
    {
      key: 'action',
      head: t('audit.action'),
      cell: ({ action, createdAt }) => (
        <span className={styles.stack}>
          <span>{wordsOf(action)}</span>
          <code className={styles.code}>{action}</code>
          <span className={classNames(styles.small, styles.narrow)}>
            <Time at={createdAt} />
          </span>
        </span>
      ),
    },
    {
      key: 'actor',
      head: t('audit.actor'),
      cell: ({ actorKind, actorName }) => (
        <span className={styles.stack}>
          <span>{actorName}</span>
          <span className={styles.small}>{t(`audit.actors.${actorKind}`)}</span>
        </span>
      ),
    },
    {
      key: 'address',
      head: t('audit.address'),
      cell: ({ address }) => address && <code>{address}</code>,
      isWide: true,
    },
    { key: 'at', head: t('audit.at'), cell: ({ createdAt }) => <Time at={createdAt} />, isWide: true },
    {
      key: 'open',
      head: <span className="visually-hidden">{t('audit.open')}</span>,
      align: 'end',
      cell: (entry) => (
        <Button
          size="small"
          aria-label={t('audit.openOf', { action: wordsOf(entry.action) })}
          onPress={() => open(entry)}
        >
          {t('audit.open')}
        </Button>
      ),
    },
  ];
}
