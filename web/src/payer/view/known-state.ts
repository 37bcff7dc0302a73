/** Selects the source for the state of a payment, and computes the current time on its chain. */
import type { Address } from 'viem';
import type { EscrowState } from '../../../../src/escrow/read-escrow-state.ts';
import type { Credential } from '../../api/ask.ts';
import type { ChainStates } from '../chain/read-states.ts';
import type { HeldPayment } from '../holdings/holding.ts';
import type { GatewayState } from './use-holdings.ts';

/** What every action needs in addition to its object. */
export type Acting = {
  wallet: Address;
  credential: Credential | null;
  gateway: GatewayState;
  refresh: () => Promise<void>;
};

export type StateSource = 'CONTRACT' | 'GATEWAY' | 'NOBODY';

export function stateOfPayment(
  payment: HeldPayment,
  states: ChainStates | undefined,
): { state: EscrowState | null; source: StateSource } {
  const read = states?.payments.get(payment.key);
  if (read && read.status !== 'NONE') return { state: read, source: 'CONTRACT' };
  if (payment.reported) return { state: payment.reported.state, source: 'GATEWAY' };
  return { state: null, source: 'NOBODY' };
}

/** Unix seconds. The time of the newest block may be ahead of this device's clock, and falls behind it while no blocks are produced. */
export function chainNow(states: ChainStates | undefined): number {
  return Math.max(states?.blockTime ?? 0, Math.floor(Date.now() / 1000));
}
