import { useTranslation } from 'react-i18next';
import { Status } from '../../ui/state/status.tsx';
import type { Tone } from '../../ui/state/tones.ts';

/**
 * The state of a transaction, a payment, a fact or a deposit. The texts for states that only operators see belong to the operations page.
 */
export function SendingState({ state, tone }: { state: string; tone: Tone }) {
  const { t } = useTranslation();
  return (
    <Status status={state} tone={tone}>
      {t([`operations.states.${state}`, `everywhere.status.${state}`], { defaultValue: state })}
    </Status>
  );
}
