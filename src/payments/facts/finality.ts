import type { Finality } from '../../events/append-events.ts';
import type { ChainView } from '../../facts/chain-view.ts';

/** Of a block, as events tell it: final means told as final, at the chain's required confirmations. */
export function finalityOf(view: Pick<ChainView, 'head' | 'required'>, blockNumber: bigint): Finality {
  const confirmations = Number(view.head.number - blockNumber) + 1;
  return { confirmations, required: view.required, isFinal: confirmations >= view.required };
}
