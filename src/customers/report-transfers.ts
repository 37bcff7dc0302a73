import { afterCommit, type ChainFact, type Database } from '../../prisma/client.ts';
import type { Registry } from '../chains/registry.ts';
import type { FactGroup, FactHandler, WriteFacts } from '../facts/fact-handler.ts';
import type { Log } from '../platform/log.ts';

export type UnexpectedTransfer = {
  chainId: number;
  tokenKey: string;
  from: string;
  /** Base units. */
  amount: string;
  txHash: string;
};

type World = {
  database: Database;
  registry: Registry;
  log: Log;
  /** Told after the commit, once a transfer. */
  unexpectedTransfer?: ((transfer: UnexpectedTransfer) => void) | undefined;
};

/** Events by which the escrow says that it took a transfer as a payment. */
const PAYMENTS = ['Authorized', 'Charged'];

/**
 * The projector's watch on transfers to the escrow that no payment of the same transaction explains: such money belongs
 * to nobody in the contract's books and cannot be moved by anybody. Logged and counted; no state follows from it.
 */
export function reportTransfers(world: World): FactHandler {
  return { prepare: (group) => prepare(world, group) };
}

async function prepare(world: World, group: FactGroup): Promise<WriteFacts> {
  const unexpected: UnexpectedTransfer[] = [];
  for (const fact of group.facts) {
    const transfer = fact.status === 'CONFIRMED' ? transferOf(world.registry, fact) : null;
    if (transfer && transfer.amount !== '0' && !(await isPayment(world.database, fact))) unexpected.push(transfer);
  }
  return async (tx) => {
    for (const transfer of unexpected) {
      afterCommit(tx, () => {
        world.log.warn(transfer, 'The escrow was sent tokens that no payment asked for.');
        world.unexpectedTransfer?.(transfer);
      });
    }
  };
}

function transferOf(registry: Registry, fact: ChainFact): UnexpectedTransfer | null {
  const { args, chainId, txHash } = fact;
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return null;
  const token = registry.tokenByAddress(chainId, fact.address);
  return {
    chainId,
    tokenKey: token?.key ?? fact.address,
    from: String(args.from),
    amount: String(args.value),
    txHash,
  };
}

async function isPayment(database: Database, { chainId, blockHash, txHash }: ChainFact): Promise<boolean> {
  const found = await database.chainFact.findFirst({
    where: { chainId, blockHash, txHash, kind: { in: PAYMENTS } },
    select: { kind: true },
  });
  return found !== null;
}
