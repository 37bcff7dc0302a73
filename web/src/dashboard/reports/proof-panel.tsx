/** The published liabilities in brief, and the app's proof as a file. */
import { useTranslation } from 'react-i18next';
import { ReportsLiabilitiesDocument, type ReportsLiabilitiesQuery } from '../../../../generated/web/documents.ts';
import { chainOf, settings, tokenOf } from '../../settings.ts';
import { Button } from '../../ui/button/button.tsx';
import { ButtonLink } from '../../ui/button/button-link.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Note } from '../../ui/state/note.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { Time } from '../../ui/state/time.tsx';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { Panel } from '../shell/panel.tsx';
import styles from './reports.module.css';
import { useDownload } from './use-download.ts';

type Snapshot = ReportsLiabilitiesQuery['liabilities'][number];

export function ProofPanel() {
  const { t } = useTranslation();
  if (settings.publishesLiabilities) return <Published />;
  return (
    <Panel title={t('reports.proof.title')} about={t('reports.proof.about')}>
      <Note>{t('reports.proof.off')}</Note>
    </Panel>
  );
}

function Published() {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const { data, error, isPending, refetch } = useAsk(ReportsLiabilitiesDocument, {});
  const { isBusy, fault, save } = useDownload();
  const snapshots = data?.liabilities ?? [];
  const download = () => save(`/reports/proof?${new URLSearchParams({ appId: app.id })}`, 'proof-of-liabilities.json');
  return (
    <Panel
      title={t('reports.proof.title')}
      about={t('reports.proof.about')}
      actions={
        snapshots.length > 0 && (
          <>
            <ButtonLink href="/proof-of-liabilities">{t('reports.proof.page')}</ButtonLink>
            <Button look="primary" isBusy={isBusy} onPress={download}>
              {t('reports.proof.download')}
            </Button>
          </>
        )
      }
    >
      {isPending && <Skeleton lines={2} />}
      <ErrorNote error={error} retry={refetch} />
      {data && snapshots.length === 0 && <Note>{t('reports.proof.none')}</Note>}
      {snapshots.map((snapshot) => (
        <SnapshotLine key={snapshot.id} snapshot={snapshot} />
      ))}
      <ErrorNote error={fault} retry={download} />
    </Panel>
  );
}

function SnapshotLine({ snapshot }: { snapshot: Snapshot }) {
  const { t } = useTranslation();
  const { chainId, blockNumber, blockTime, tokens } = snapshot;
  const short = tokens
    .filter(({ surplus }) => surplus.startsWith('-'))
    .map(({ tokenKey }) => tokenOf(tokenKey)?.symbol ?? tokenKey);
  const chain = chainOf(chainId)?.name ?? String(chainId);
  return (
    <Note
      tone={short.length > 0 ? 'bad' : 'good'}
      title={t(short.length > 0 ? 'reports.proof.short' : 'reports.proof.covered', { chain, tokens: short.join(', ') })}
    >
      {t('reports.proof.block', { block: blockNumber })} <span className={styles.soft}>·</span> <Time at={blockTime} />
    </Note>
  );
}
