/** Which setup steps of the app are complete, derived from its actual data. */
import { type PaymentIntentStatus, SetupFactsDocument } from '../../../../generated/web/documents.ts';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { setupSteps } from './setup-steps.ts';

const paidStatuses: PaymentIntentStatus[] = ['AUTHORIZED', 'CAPTURED', 'SETTLED', 'REFUND_PENDING', 'REFUNDED'];

export function useSetup({ isEnabled }: { isEnabled: boolean }) {
  const { app } = useDashboard();
  const { data: facts } = useAsk(
    SetupFactsDocument,
    { appId: app.id, made: { appId: app.id }, paid: { appId: app.id, status: paidStatuses } },
    { isEnabled },
  );
  return facts && { facts, steps: setupSteps(facts, app.mode) };
}
