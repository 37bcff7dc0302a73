/** Whether the next click performs the remaining steps of a quote as one batch of the wallet. Pure. */
import type { PaymentState } from './payment-state.ts';

export function isBatched(
  { prepared, done, isBatchRefused }: Pick<PaymentState, 'prepared' | 'done' | 'isBatchRefused'>,
  { batching }: { batching: ReadonlySet<number> },
): boolean {
  const rest = prepared?.steps.slice(done) ?? [];
  const areCalls = rest.length > 1 && rest.at(-1)?.kind === 'pay' && rest.every((step) => 'data' in step);
  return prepared !== undefined && areCalls && batching.has(prepared.chainId) && !isBatchRefused;
}
