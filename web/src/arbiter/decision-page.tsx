/**
 * One dispute as the arbiter sees it, and the form for the decision: a percentage, the resulting amounts, and a confirmation before it is
 * signed.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  ArbiterResolveDocument,
  ArbiterSplitDocument,
  DisputeOneDocument,
  type DisputeShownFragment,
} from '../../../generated/web/documents.ts';
import { ask, type Credential } from '../api/ask.ts';
import { DisputePanel } from '../disputes/dispute-panel.tsx';
import { SignedData, SplitFacts } from '../disputes/resolution-facts.tsx';
import { Button } from '../ui/button/button.tsx';
import { TextField } from '../ui/fields/text-field.tsx';
import { basisPointsOf } from '../ui/formats/basis-points.ts';
import { useFormats } from '../ui/formats/use-formats.ts';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { ErrorNote } from '../ui/state/error-note.tsx';
import { Note } from '../ui/state/note.tsx';
import styles from './arbiter.module.css';

type DecisionPageProps = { id: string; credential: Credential; back: () => void };

export function DecisionPage({ id, credential, back }: DecisionPageProps) {
  const { t } = useTranslation();
  return (
    <>
      <div className={styles.buttons}>
        <Button look="bare" size="small" icon="back" onPress={back}>
          {t('disputes.arbiter.back')}
        </Button>
      </div>
      <h1>{t('disputes.one')}</h1>
      <DisputePanel disputeId={id} credential={credential} party={null}>
        {(dispute) => (
          <>
            <Decision dispute={dispute} credential={credential} />
            <SignedData dispute={dispute} />
          </>
        )}
      </DisputePanel>
    </>
  );
}

function Decision({ dispute, credential }: { dispute: DisputeShownFragment; credential: Credential }) {
  const { t } = useTranslation();
  const [percent, setPercent] = useState('');
  const [isAsking, setAsking] = useState(false);
  const payerBps = basisPointsOf(percent);
  const split = useQuery({
    queryKey: [String(ArbiterSplitDocument), dispute.id, payerBps],
    queryFn: async ({ signal }) => {
      const asked = await ask(
        ArbiterSplitDocument,
        { id: dispute.id, payerBps: payerBps ?? 0 },
        { credential, signal },
      );
      return asked.dispute.split ?? null;
    },
    enabled: payerBps !== undefined,
  });
  if (dispute.status !== 'OPEN' || dispute.resolution?.status === 'PENDING') return null;
  if (!dispute.terms?.isArbiterHere) {
    return (
      <Note tone="wait" title={t('disputes.arbiter.elsewhere')}>
        {t('disputes.arbiter.elsewhereMore', { arbiter: dispute.terms?.arbiter ?? '' })}
      </Note>
    );
  }
  const shown = payerBps === undefined ? null : (split.data ?? null);
  return (
    <section className={styles.decision} aria-label={t('disputes.arbiter.decide')}>
      <h2>{t('disputes.arbiter.decide')}</h2>
      <TextField
        label={t('disputes.arbiter.percent')}
        hint={t('disputes.arbiter.percentHint')}
        inputMode="decimal"
        autoComplete="off"
        maxLength={6}
        value={percent}
        error={percent !== '' && payerBps === undefined ? t('disputes.arbiter.percentWrong') : undefined}
        onChange={(event) => setPercent(event.target.value)}
      />
      {shown && <SplitFacts split={shown} payment={dispute.payment} />}
      <ErrorNote error={split.error} />
      <div className={styles.buttons}>
        <Button look="primary" isDisabled={!shown} onPress={() => setAsking(true)}>
          {t('disputes.arbiter.review')}
        </Button>
      </div>
      {isAsking && shown && payerBps !== undefined && (
        <ConfirmDecision
          dispute={dispute}
          credential={credential}
          payerBps={payerBps}
          split={shown}
          onClose={() => setAsking(false)}
        />
      )}
    </section>
  );
}

type ConfirmDecisionProps = {
  dispute: DisputeShownFragment;
  credential: Credential;
  payerBps: number;
  split: Parameters<typeof SplitFacts>[0]['split'];
  onClose: () => void;
};

function ConfirmDecision({ dispute, credential, payerBps, split, onClose }: ConfirmDecisionProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  // A retry after a lost response submits the same decision.
  const key = useRef(crypto.randomUUID());
  const sign = async () => {
    setError(undefined);
    try {
      const decision = { id: dispute.id, payerBps };
      await ask(ArbiterResolveDocument, decision, { credential, idempotencyKey: key.current });
      await queries.invalidateQueries({ queryKey: [String(DisputeOneDocument), dispute.id] });
      onClose();
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('disputes.arbiter.confirmTitle')}
      about={t('disputes.arbiter.confirmAbout')}
      actions={
        <>
          <Button onPress={onClose}>{t('everywhere.cancel')}</Button>
          <Button look="danger" busyWords={t('disputes.arbiter.signing')} onPress={sign}>
            {t('disputes.arbiter.confirm')}
          </Button>
        </>
      }
    >
      <p>{t('disputes.outcome.share', { percent: formats.percent(payerBps) })}</p>
      <SplitFacts split={split} payment={dispute.payment} />
      <ErrorNote error={error} />
    </Dialog>
  );
}
