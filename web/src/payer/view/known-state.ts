/** Which of the sources speaks for a payment, and what time it is on its chain. */
import type { Address } from 'viem';
import type { EscrowState } from '../../../../src/escrow/read-escrow-state.ts';
import type { Credential } from '../../api/ask.ts';
import type { ChainStates } from '../chain/read-states.ts';
import type { HeldPayment } from '../holdings/holding.ts';
import type { GatewayState } from './use-holdings.ts';

/** What an action needs beside what it is about. */
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
  if (payment.told) return { state: payment.told.state, source: 'GATEWAY' };
  return { state: null, source: 'NOBODY' };
}

/** Unix seconds: a block's time may be ahead of this machine's, and behind while nothing happens. */
export function chainNow(states: ChainStates | undefined): number {
  return Math.max(states?.blockTime ?? 0, Math.floor(Date.now() / 1000));
}
