/** The installation for its operator: problems first, then stuck transactions, chains, keys, jobs, the books and the latest alarms. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { OperationsDrainDocument, OperationsInstallationDocument } from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Note } from '../../ui/state/note.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PageFrame } from '../shell/page-frame.tsx';
import { Panel } from '../shell/panel.tsx';
import { AlarmsTable } from './alarms-table.tsx';
import { BooksTable } from './books-table.tsx';
import { ChainsTable } from './chains-table.tsx';
import type { Installation } from './installation.ts';
import styles from './operations.module.css';
import { OutgoingTable } from './outgoing-table.tsx';
import { SendersTable } from './senders-table.tsx';
import { StuckTable } from './stuck-table.tsx';
import { useInstallation } from './use-installation.ts';

export function OperationsPage() {
  const { t } = useTranslation();
  const { member } = useDashboard();
  if (!member.isOperator) {
    return (
      <PageFrame title={t('shell.pages.operations')}>
        <Note title={t('operations.notYours')}>{t('operations.notYoursAbout')}</Note>
      </PageFrame>
    );
  }
  return <Operations />;
}

function Operations() {
  const { t } = useTranslation();
  const [isDraining, setDraining] = useState(false);
  const { installation, error, isPending, refetch } = useInstallation();
  return (
    <PageFrame
      title={t('shell.pages.operations')}
      about={t('operations.about')}
      actions={
        <Button look="danger" onPress={() => setDraining(true)}>
          {t('operations.drain')}
        </Button>
      }
    >
      <ErrorNote error={error} retry={refetch} />
      {isPending && <Skeleton lines={8} />}
      {installation && (
        <>
          <Summary faults={installation.faults} delayed={installation.stuck.length} />
          <Panel title={t('operations.stuck.title')} about={t('operations.stuck.about')}>
            <StuckTable stuck={installation.stuck} />
          </Panel>
          <Panel title={t('operations.chains.title')} about={t('operations.chains.about')}>
            <ChainsTable chains={installation.chains} />
            <p className={styles.next}>{t('operations.chains.next')}</p>
          </Panel>
          <Panel title={t('operations.senders.title')} about={t('operations.senders.about')}>
            <SendersTable senders={installation.senders} />
            <p className={styles.next}>{t('operations.senders.next')}</p>
          </Panel>
          <Panel title={t('operations.work.title')}>
            <Work work={installation.work} />
            <p className={styles.next}>{t('operations.work.next')}</p>
          </Panel>
          <Panel title={t('operations.books.title')} about={t('operations.books.about')}>
            {installation.books.length === 0 ? (
              <p>{t('operations.books.none')}</p>
            ) : (
              <BooksTable books={installation.books} />
            )}
            <p className={styles.next}>{t('operations.books.next')}</p>
          </Panel>
          <Panel title={t('operations.alarms.title')} about={t('operations.alarms.about')}>
            <AlarmsTable alarms={installation.alarms} />
          </Panel>
          <Panel title={t('operations.outgoing.title')} about={t('operations.outgoing.about')}>
            <OutgoingTable outgoing={installation.outgoing} />
          </Panel>
        </>
      )}
      {isDraining && <DrainDialog onClose={() => setDraining(false)} />}
    </PageFrame>
  );
}

function Summary({ faults, delayed }: { faults: readonly string[]; delayed: number }) {
  const { t } = useTranslation();
  if (faults.length === 0 && delayed > 0) {
    return <Note tone="wait" title={t('operations.delayed', { count: delayed })} />;
  }
  if (faults.length === 0) return <Note tone="good" title={t('operations.allWell')} />;
  return (
    <Note tone="bad" title={t('operations.faults', { count: faults.length })}>
      <ul className={styles.faults}>
        {faults.map((fault) => (
          <li key={fault} lang="en">
            {fault}
          </li>
        ))}
      </ul>
    </Note>
  );
}

function Work({ work }: { work: Installation['work'] }) {
  const { t } = useTranslation();
  return (
    <dl className={styles.figures}>
      {Object.entries(work).map(([name, count]) => (
        <div key={name}>
          <dt>{t(`operations.work.${name}`)}</dt>
          <dd>{count}</dd>
        </div>
      ))}
    </dl>
  );
}

function DrainDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { mutateAsync, data, error } = useApiMutation(OperationsDrainDocument, {
    changes: [OperationsInstallationDocument],
  });
  const drained = data?.drainInstallation;
  const drain = () => mutateAsync({}).catch(() => {});
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('operations.drainTitle')}
      about={t('operations.drainAbout')}
      actions={
        <>
          <Button onPress={onClose}>{t('everywhere.close')}</Button>
          <Button look="danger" onPress={drain} busyWords={t('operations.draining')}>
            {t(drained ? 'operations.drainAgain' : 'operations.drain')}
          </Button>
        </>
      }
    >
      {drained && (
        <Note
          tone={drained.isDrained ? 'good' : 'wait'}
          title={t(drained.isDrained ? 'operations.drained' : 'operations.notDrained')}
        >
          {t('operations.rest', {
            quotes: drained.openQuotes,
            transactions: drained.transactions,
            jobs: drained.jobs,
            facts: drained.facts,
          })}
        </Note>
      )}
      <ErrorNote error={error} />
    </Dialog>
  );
}
