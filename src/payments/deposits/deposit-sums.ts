/** The totals that a deposit address has received and returned according to the facts of the chain, by token. */
import { z } from 'zod';
import { type ChainFact, type Database, type DatabaseTransaction, Prisma } from '../../../prisma/client.ts';
import { contractAddress } from '../../chains/chain.ts';
import type { Registry } from '../../chains/registry.ts';
import { byPlace } from '../../facts/chain-fact.ts';
import { toDecimal } from '../../prices/base-units.ts';
import type { PaymentKey } from '../payment-key.ts';
import { DEPOSITED, RETURNED } from './deposit.ts';

/** A fact of a deposit address. `token` is in lower case, `amount` in base units. */
export type DepositMovement = { kind: typeof DEPOSITED | typeof RETURNED; token: string; amount: bigint };

const argsSchema = z.object({
  token: z.string().transform((token) => token.toLowerCase()),
  amount: z.string().regex(/^\d+$/).transform(BigInt),
});

/** Null for a fact of another kind. */
export function readMovement(fact: Pick<ChainFact, 'kind' | 'args'>): DepositMovement | null {
  if (fact.kind !== DEPOSITED && fact.kind !== RETURNED) return null;
  const args = argsSchema.safeParse(fact.args);
  return args.success ? { kind: fact.kind, ...args.data } : null;
}

/** The facts of a deposit address that no reorganization has removed, in chain order. */
export async function depositFacts(
  database: Database | DatabaseTransaction,
  { chainId, termsHash }: PaymentKey,
): Promise<ChainFact[]> {
  const facts = await database.chainFact.findMany({
    where: { chainId, ref: termsHash, kind: { in: [DEPOSITED, RETURNED] }, status: { not: 'ORPHANED' } },
  });
  return facts.sort(byPlace);
}

export type DepositSum = { received: bigint; returned: bigint };

/** Sums by token in lower case. */
export function sumMovements(facts: readonly Pick<ChainFact, 'kind' | 'args'>[]): Map<string, DepositSum> {
  const sums = new Map<string, DepositSum>();
  for (const fact of facts) {
    const movement = readMovement(fact);
    if (!movement) continue;
    const sum = sums.get(movement.token) ?? { received: 0n, returned: 0n };
    sum[movement.kind === DEPOSITED ? 'received' : 'returned'] += movement.amount;
    sums.set(movement.token, sum);
  }
  return sums;
}

/** The keys of a chain's tokens by contract in lower case; the first key of a contract that has several. */
export function tokenKeys(registry: Registry, chainId: number): Map<string, string> {
  const keys = new Map<string, string>();
  for (const token of registry.chain(chainId)?.tokens ?? []) {
    const address = contractAddress(token).toLowerCase();
    if (!keys.has(address)) keys.set(address, token.key);
  }
  return keys;
}

/**
 * Writes the totals of a deposit address from its facts, under the lock of its intent. Tokens that are not registered are left out,
 * because anyone can create one and send it. `held` sets the balances that were read.
 */
export async function writeSums(
  tx: DatabaseTransaction,
  world: { registry: Registry },
  { payment, held = new Map() }: { payment: PaymentKey; held?: ReadonlyMap<string, bigint> },
): Promise<void> {
  const { chainId, termsHash } = payment;
  const sums = sumMovements(await depositFacts(tx, payment));
  const keys = tokenKeys(world.registry, chainId);
  const known = await tx.depositBalance.findMany({ where: { chainId, termsHash } });
  const tokens = new Set([...sums.keys(), ...known.map(({ token }) => token)]);
  for (const token of tokens) {
    const tokenKey = keys.get(token) ?? known.find((row) => row.token === token)?.tokenKey;
    if (tokenKey === undefined) continue;
    const { received, returned } = sums.get(token) ?? { received: 0n, returned: 0n };
    const lies = held.get(token);
    const data = {
      received: toDecimal(received),
      returned: toDecimal(returned),
      ...(lies === undefined ? {} : { held: toDecimal(lies) }),
    };
    await tx.depositBalance.upsert({
      where: { chainId_termsHash_token: { chainId, termsHash, token } },
      create: { chainId, termsHash, token, tokenKey, ...data },
      update: data,
    });
  }
}

/** Locks a deposit address until the transaction ends. Its intent is locked before it. */
export async function lockDeposit(tx: DatabaseTransaction, { chainId, termsHash }: PaymentKey): Promise<void> {
  await tx.$queryRaw(
    Prisma.sql`SELECT 1 FROM deposit_address WHERE chain_id = ${chainId} AND terms_hash = ${termsHash} FOR UPDATE`,
  );
}
