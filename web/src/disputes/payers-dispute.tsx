/** The dispute of a payment on a payer's page. Its code and texts are loaded when it is opened. */
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Credential } from '../api/ask.ts';
import { Button } from '../ui/button/button.tsx';
import { Skeleton } from '../ui/state/skeleton.tsx';
import { addWords } from '../words/open-words.ts';
import styles from './payers-dispute.module.css';

type PayersDisputeProps = { disputeId: string; credential: Credential };

const Panel = lazy(async () => {
  const [{ DisputePanel }] = await Promise.all([import('./dispute-panel.tsx'), addWords(['disputes'])]);
  return {
    default: ({ disputeId, credential }: PayersDisputeProps) => (
      <DisputePanel disputeId={disputeId} credential={credential} party="PAYER" />
    ),
  };
});

export function PayersDispute(dispute: PayersDisputeProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <div data-payers-dispute="" className={styles.payers}>
      <Button aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
        {isOpen ? t('everywhere.dispute.hide') : t('everywhere.dispute.show')}
      </Button>
      {isOpen && (
        <Suspense fallback={<Skeleton lines={4} />}>
          <Panel {...dispute} />
        </Suspense>
      )}
    </div>
  );
}
