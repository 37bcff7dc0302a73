import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  OperationsInstallationDocument,
  OperationsPauseDocument,
  OperationsResumeDocument,
} from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Status } from '../../ui/state/status.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { ConfirmDialog } from '../resources/confirm-dialog.tsx';
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

type Chain = Installation['chains'][number];

export function ChainsTable({ chains }: { chains: readonly Chain[] }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const [changing, setChanging] = useState<Pick<Chain, 'chainId' | 'name' | 'paused'>>();
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
                onPress={() => setChanging({ chainId, name, paused })}
              >
                {t(paused ? 'operations.chains.resume' : 'operations.chains.pause')}
              </Button>
            ),
          },
        ]}
      />
      {changing && <PauseDialog chain={changing} onClose={() => setChanging(undefined)} />}
    </>
  );
}

/** Keeps the chain as it was when the dialog was opened, because its state may change in the meantime. */
function PauseDialog({ chain, onClose }: { chain: Pick<Chain, 'chainId' | 'name' | 'paused'>; onClose: () => void }) {
  const { t } = useTranslation();
  const changes = { changes: [OperationsInstallationDocument] };
  const pause = useApiMutation(OperationsPauseDocument, changes);
  const resume = useApiMutation(OperationsResumeDocument, changes);
  const { chainId, name } = chain;
  const common = { variables: { chainId }, onClose };
  return chain.paused ? (
    <ConfirmDialog
      {...common}
      title={t('operations.chains.resumeTitle', { name })}
      about={t('operations.chains.resumeAbout')}
      action={t('operations.chains.resume')}
      done={t('operations.chains.resumed', { name })}
      mutation={resume}
    />
  ) : (
    <ConfirmDialog
      {...common}
      title={t('operations.chains.pauseTitle', { name })}
      about={t('operations.chains.pauseAbout')}
      action={t('operations.chains.pause')}
      done={t('operations.chains.paused', { name })}
      isDanger
      mutation={pause}
    />
  );
}
