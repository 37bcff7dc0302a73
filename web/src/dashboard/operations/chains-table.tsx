import { useTranslation } from 'react-i18next';
import {
  OperationsInstallationDocument,
  OperationsPauseDocument,
  OperationsResumeDocument,
} from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Status } from '../../ui/state/status.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { chainState } from './chain-state.ts';
import type { Installation } from './installation.ts';
import styles from './operations.module.css';

const tones = {
  HALTED: 'bad',
  NODE_DOWN: 'bad',
  UNSEEN: 'wait',
  BEHIND: 'wait',
  PAUSED: 'wait',
  CURRENT: 'good',
} as const;

export function ChainsTable({ chains }: { chains: Installation['chains'] }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const changes = { changes: [OperationsInstallationDocument] };
  const pause = useApiMutation(OperationsPauseDocument, changes);
  const resume = useApiMutation(OperationsResumeDocument, changes);
  return (
    <>
      <Table
        caption={t('operations.chains.title')}
        rows={chains}
        rowKey={(chain) => String(chain.chainId)}
        columns={[
          {
            key: 'name',
            head: t('operations.chain'),
            cell: (chain) => (
              <>
                {chain.name} <span className={styles.faint}>{chain.chainId}</span>
              </>
            ),
          },
          {
            key: 'state',
            isCorner: true,
            head: t('operations.state'),
            cell: (chain) => {
              const state = chainState(chain);
              return (
                <span title={chain.haltReason ?? undefined}>
                  <Status status={state} tone={tones[state]}>
                    {t(`operations.chains.states.${state}`)}
                  </Status>
                </span>
              );
            },
          },
          {
            key: 'node',
            head: t('operations.chains.node'),
            cell: (chain) => chain.nodeBlock ?? '–',
            align: 'end',
            isWide: true,
          },
          { key: 'head', head: t('operations.chains.head'), cell: (chain) => chain.headBlock ?? '–', align: 'end' },
          {
            key: 'applied',
            head: t('operations.chains.applied'),
            cell: (chain) => chain.appliedBlock ?? '–',
            align: 'end',
          },
          {
            key: 'final',
            head: t('operations.chains.final'),
            cell: (chain) => chain.finalizedBlock ?? '–',
            align: 'end',
            isWide: true,
          },
          {
            key: 'lag',
            head: t('operations.chains.lag'),
            cell: (chain) =>
              chain.lagBlocks === null
                ? '–'
                : `${t('operations.chains.lagBlocks', { count: Number(chain.lagBlocks) })} · ${formats.unit(chain.lagSeconds ?? 0, 'second')}`,
            align: 'end',
            isWide: true,
          },
          {
            key: 'pause',
            head: <span className="visually-hidden">{t('operations.actions')}</span>,
            align: 'end',
            cell: ({ chainId, name, paused }) => (
              <Button
                size="small"
                aria-label={t(paused ? 'operations.chains.resumeOf' : 'operations.chains.pauseOf', { name })}
                onPress={() => (paused ? resume : pause).mutateAsync({ chainId }).catch(() => {})}
              >
                {t(paused ? 'operations.chains.resume' : 'operations.chains.pause')}
              </Button>
            ),
          },
        ]}
      />
      <ErrorNote error={pause.error ?? resume.error} />
    </>
  );
}
