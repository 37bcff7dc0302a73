/** The event log of the app, newest first, filtered by request id, resource or type. The URL contains the filter. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'wouter';
import {
  type DeveloperEventFragment,
  DeveloperEventLogDocument,
  DeveloperEventsDocument,
} from '../../../../../generated/web/documents.ts';
import { settings } from '../../../settings.ts';
import { Button } from '../../../ui/button/button.tsx';
import { Select } from '../../../ui/fields/select.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { ErrorNote } from '../../../ui/state/error-note.tsx';
import { Time } from '../../../ui/state/time.tsx';
import { Table } from '../../../ui/tables/table.tsx';
import { useAsk } from '../../session/use-ask.ts';
import { useDashboard } from '../../session/use-dashboard.ts';
import { useFollow } from '../../session/use-follow.ts';
import { Panel } from '../../shell/panel.tsx';
import styles from '../developers.module.css';
import { JsonView } from '../json-view.tsx';

export function EventLog() {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const [search, setSearch] = useSearchParams();
  const type = search.get('type') ?? '';
  const requestId = search.get('request') ?? '';
  const before = Number(search.get('before')) || null;
  const [open, setOpen] = useState<DeveloperEventFragment>();
  const [fresh, setFresh] = useState(0);
  const variables = {
    appId: app.id,
    before,
    types: type === '' ? null : [type],
    requestId: requestId === '' ? null : requestId,
  };
  const { data, error, isPending, refetch } = useAsk(DeveloperEventLogDocument, variables, { keepsLast: true });
  useFollow(DeveloperEventsDocument, { appId: app.id }, () => setFresh((count) => count + 1));
  const items = data?.eventLog.items ?? [];
  const last = items.at(-1);

  const change = (fields: Record<string, string>) => {
    const next = { tab: 'events', type, request: requestId, ...fields };
    setSearch(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== '')));
  };
  const showNew = async () => {
    setFresh(0);
    if (before !== null) change({ before: '' });
    else await refetch();
  };
  return (
    <Panel
      title={t('developers.events.title')}
      about={t('developers.events.about')}
      actions={fresh > 0 && <Button onPress={showNew}>{t('developers.events.fresh', { count: fresh })}</Button>}
    >
      <div className={styles.filters}>
        <Select
          label={t('developers.events.type')}
          value={type}
          onChange={(value) => change({ type: value })}
          options={[
            { value: '', words: t('developers.events.any') },
            ...settings.eventTypes.map((one) => ({ value: String(one), words: one })),
          ]}
        />
        <RequestField key={requestId} requestId={requestId} onChange={(request) => change({ request })} />
      </div>
      <ErrorNote error={error} retry={refetch} />
      <Table
        caption={t('developers.events.title')}
        rows={items}
        rowKey={(event) => event.id}
        isLoading={isPending}
        columns={[
          { key: 'sequence', head: t('developers.events.sequence'), cell: (event) => event.sequence, align: 'end' },
          { key: 'type', head: t('developers.events.type'), cell: (event) => <code>{event.type}</code> },
          { key: 'at', head: t('developers.events.at'), cell: (event) => <Time at={event.timestamp} />, isWide: true },
          {
            key: 'request',
            head: t('developers.events.request'),
            isWide: true,
            cell: ({ requestId: id }) =>
              id && (
                <Button look="bare" size="small" onPress={() => change({ request: id })}>
                  <code>{id.slice(0, 13)}…</code>
                </Button>
              ),
          },
          {
            key: 'open',
            head: <span className="visually-hidden">{t('developers.actions')}</span>,
            align: 'end',
            cell: (event) => (
              <Button
                size="small"
                aria-label={t('developers.events.openOf', { sequence: event.sequence })}
                onPress={() => setOpen(event)}
              >
                {t('developers.webhooks.open')}
              </Button>
            ),
          },
        ]}
      />
      {!isPending && items.length === 0 && !error && <p>{t('developers.events.none')}</p>}
      {(before !== null || last) && (
        <div className={styles.more}>
          <span className={styles.buttons}>
            <Button isDisabled={before === null} onPress={() => change({ before: '' })}>
              {t('developers.newest')}
            </Button>
            <Button
              isDisabled={!data?.eventLog.hasMore || !last}
              onPress={() => last && change({ before: String(last.sequence) })}
            >
              {t('developers.older')}
            </Button>
          </span>
        </div>
      )}
      {open && (
        <Dialog
          isOpen
          isWide
          onClose={() => setOpen(undefined)}
          title={<code>{open.type}</code>}
          about={<Time at={open.timestamp} isAbsolute />}
          actions={<Button onPress={() => setOpen(undefined)}>{t('everywhere.close')}</Button>}
        >
          <JsonView value={open} name={t('developers.events.event')} />
        </Dialog>
      )}
    </Panel>
  );
}

function RequestField({ requestId, onChange }: { requestId: string; onChange: (requestId: string) => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState(requestId);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChange(text.trim());
      }}
    >
      <TextField
        label={t('developers.events.request')}
        value={text}
        maxLength={128}
        placeholder="x-request-id"
        onChange={(event) => setText(event.target.value)}
        onBlur={() => text.trim() !== requestId && onChange(text.trim())}
      />
    </form>
  );
}
