import type { Finality } from '../../events/append-events.ts';
import type { ChainView } from '../../facts/chain-view.ts';

/** The finality of a block as events report it: final once it has the confirmations that the chain requires. */
export function finalityOf(view: Pick<ChainView, 'head' | 'required'>, blockNumber: bigint): Finality {
  const confirmations = Number(view.head.number - blockNumber) + 1;
  return { confirmations, required: view.required, isFinal: confirmations >= view.required };
}
