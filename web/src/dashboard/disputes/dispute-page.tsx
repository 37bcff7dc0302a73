/** One dispute: both sides, the deadline, the merchant's evidence, and a button to concede. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'wouter';
import {
  DisputeConcedeDocument,
  DisputeOneDocument,
  type DisputeShownFragment,
} from '../../../../generated/web/documents.ts';
import { DisputePanel } from '../../disputes/dispute-panel.tsx';
import { SignedData } from '../../disputes/resolution-facts.tsx';
import { Button } from '../../ui/button/button.tsx';
import { ConfirmDialog } from '../resources/confirm-dialog.tsx';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PageFrame } from '../shell/page-frame.tsx';

export function DisputePage() {
  const { t } = useTranslation();
  const { id = '' } = useParams();
  const { credential, mayWrite } = useDashboard();
  return (
    <PageFrame title={t('disputes.one')} back={{ href: '/disputes', words: t('disputes.title') }}>
      <DisputePanel disputeId={id} credential={credential} party={mayWrite ? 'MERCHANT' : null}>
        {(dispute) => (
          <>
            {mayWrite && <Concede dispute={dispute} />}
            <SignedData dispute={dispute} />
            <p>
              <Link href={`/payments/${dispute.paymentIntentId}`}>{t('disputes.toPayment')}</Link>
            </p>
          </>
        )}
      </DisputePanel>
    </PageFrame>
  );
}

function Concede({ dispute }: { dispute: DisputeShownFragment }) {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const concede = useApiMutation(DisputeConcedeDocument, { changes: [DisputeOneDocument] });
  const isDecided = dispute.resolution?.status === 'PENDING';
  if (dispute.status !== 'OPEN' || isDecided) return null;
  return (
    <div>
      <Button look="danger" onPress={() => setAsking(true)}>
        {t('disputes.concede.action')}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t('disputes.concede.title')}
          about={t('disputes.concede.words')}
          action={t('disputes.concede.action')}
          done={t('disputes.concede.done')}
          isDanger
          mutation={concede}
          variables={{ id: dispute.id }}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}
