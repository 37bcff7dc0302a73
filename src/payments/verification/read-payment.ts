import { type Hex, isHex } from 'viem';
import type { PaymentTerms } from '../../../prisma/client.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import { ESCROW_EDITION } from '../../escrow/escrow-domain.ts';
import { parseEscrowEvent } from '../../escrow/escrow-event.ts';
import { firstEditionAddress, firstEditionTermsHash } from '../../escrow/first-edition.ts';
import { type EscrowState, readEscrowState } from '../../escrow/read-escrow-state.ts';
import { termsFromJson, termsHash } from '../../escrow/terms.ts';
import { type ChainView, newChainMemory, readChainView } from '../../facts/chain-view.ts';
import type { LogSource } from '../../facts/log-source.ts';
import { foldPayment, noPayment, type PaymentFact, type PaymentState } from '../fold.ts';

export type PaymentOnChain = {
  /** The hash of the stored terms; equals the payment's id unless the terms were altered. */
  recomputedHash: Hex;
  contract: EscrowState;
  /** The fold of the logs that the node returned; null if they are inconsistent. */
  folded: PaymentState | null;
  /** The base units credited for the payment according to the node's logs, whether claimed or not. */
  credited: bigint;
};

/**
 * Reads a payment from a node alone at the confirmed height, without the inbox or Ponder. Throws CHAIN_UNAVAILABLE, or the node's
 * error if it keeps no state of that block.
 */
export async function readPayment(
  world: { nodes: EvmNodes; registry: Registry; logs: LogSource },
  { terms, from, view }: { terms: PaymentTerms; from: bigint; view: ChainView<Hex> },
): Promise<PaymentOnChain> {
  const { chainId } = terms;
  const isFirst = terms.edition !== ESCROW_EDITION;
  const escrow = isFirst ? firstEditionAddress : world.registry.chain(chainId)?.escrow;
  if (!escrow || !isHex(terms.termsHash)) throw new Error(`Chain ${chainId} has no escrow.`);
  const id = terms.termsHash;
  const blockHash = view.confirmed.hash;
  const contract = await world.nodes.asking(chainId, (client) =>
    readEscrowState({ client, escrow }, { id, blockHash }),
  );
  // Terms that nobody paid have no logs, which saves searching the chain for each of them.
  const logs = contract.status === noPayment.status ? [] : await world.logs.readPayment({ chainId, id, from, escrow });
  const events = logs
    .filter((log) => log.blockNumber <= view.confirmed.number)
    .map((log) => ({ log, event: parseEscrowEvent(log.kind, log.args) }));
  const facts = events.flatMap(({ log, event }): PaymentFact[] =>
    event !== null && 'left' in event ? [{ ...log, event }] : [],
  );
  const credited = events.reduce((sum, { event }) => (event?.kind === 'Credited' ? sum + event.amount : sum), 0n);
  const kept = termsFromJson(terms.terms);
  const recomputedHash = isFirst ? firstEditionTermsHash({ chainId, terms: kept }) : termsHash(kept);
  return { recomputedHash, contract, folded: foldPayment(facts), credited };
}

export async function confirmedView(
  world: { nodes: EvmNodes; registry: Registry },
  chainId: number,
): Promise<ChainView<Hex>> {
  const chain = world.registry.chain(chainId);
  if (!chain) throw new Error(`Chain ${chainId} is not registered.`);
  return await readChainView({ nodes: world.nodes, memory: newChainMemory() }, chain);
}
