import type { ChainFact, DatabaseTransaction } from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import { parseEscrowEvent } from '../../escrow/escrow-event.ts';
import { parseSolanaEvent } from '../../escrow/solana/solana-event.ts';
import { byPlace, lowest } from '../../facts/chain-fact.ts';
import { type Claim, type Credit, type CreditOwner, type CreditPlace, ownerKey } from './payout.ts';
import { plainAddress } from './plain-address.ts';

type Reader = Pick<DatabaseTransaction, 'chainFact' | '$queryRaw'>;
type Place = 'chainId' | 'blockNumber' | 'blockHash' | 'blockTimestamp' | 'txHash' | 'logIndex';
type LoggedFact = Pick<ChainFact, Place | 'kind' | 'ref' | 'args'>;

/**
 * Where the credits and claims of a chain come from: its escrow in lower case, because an earlier escrow of the chain, such as
 * that of the first edition, has credits and claims of its own; null on Solana, where only the installation's own accounts are watched.
 */
export type Emitter = { chainId: number; escrow: string | null };

/** Null for a chain on which no credits exist. */
export function emitterOf(registry: Pick<Registry, 'chain'>, chainId: number): Emitter | null {
  const chain = registry.chain(chainId);
  if (chain?.family === 'SOLANA') return { chainId, escrow: null };
  return chain?.escrow ? { chainId, escrow: chain.escrow.toLowerCase() } : null;
}

const standing = ['CONFIRMED', 'FINAL'] as const;

/** The valid credits of payments of a chain at the confirmed height, in chain order. */
export async function creditsOf(
  database: Reader,
  { chainId, escrow, termsHashes }: Emitter & { termsHashes: readonly string[] },
): Promise<Credit[]> {
  const emitted = escrow === null ? {} : { address: escrow };
  const facts = await database.chainFact.findMany({
    where: { chainId, ...emitted, ref: { in: [...termsHashes] }, kind: 'Credited', status: { in: [...standing] } },
  });
  return facts.sort(byPlace).flatMap((fact) => toCredit(fact) ?? []);
}

/** The valid claims at the confirmed height that may have delivered these credits, in chain order. */
export async function claimsAfter(
  database: Reader,
  { credits, ...emitter }: Emitter & { credits: readonly Credit[] },
): Promise<Claim[]> {
  const [first, ...rest] = credits.map(({ blockNumber }) => blockNumber);
  if (first === undefined) return [];
  const owners = [...new Map(credits.map((one) => [ownerKey(one), one])).values()];
  const from = lowest(first, ...rest);
  const facts = await factsOfOwners(database, { ...emitter, owners, kinds: ['Claimed'], from });
  return facts.sort(byPlace).flatMap((fact) => toClaim(fact) ?? []);
}

/**
 * What the contract owes each of these recipients, in base units, according to the inbox up to block `upTo`, by `ownerKey`: all
 * credits since the last claim, including those of other gateways' payments. `hasClaim` means that credits made before the
 * chain was first read are settled, so that none can be missing.
 */
export async function creditInInbox(
  database: Reader,
  { owners, upTo, ...emitter }: Emitter & { owners: readonly CreditOwner[]; upTo: bigint },
): Promise<Map<string, { amount: bigint; hasClaim: boolean }>> {
  const known = new Map(owners.map((owner) => [ownerKey(owner), { amount: 0n, hasClaim: false }]));
  const facts = await factsOfOwners(database, { ...emitter, owners, kinds: ['Credited', 'Claimed'], from: 0n });
  for (const fact of facts.filter(({ blockNumber }) => blockNumber <= upTo).sort(byPlace)) {
    const credit = toCredit(fact);
    const event = credit ?? toClaim(fact);
    const sum = event && known.get(ownerKey(event));
    if (!sum) continue;
    sum.amount = credit ? sum.amount + credit.amount : 0n;
    sum.hasClaim ||= credit === null;
  }
  return known;
}

async function factsOfOwners(
  database: Reader,
  request: Emitter & { owners: readonly CreditOwner[]; kinds: readonly string[]; from: bigint },
): Promise<LoggedFact[]> {
  const { chainId, escrow, owners, kinds, from } = request;
  if (owners.length === 0) return [];
  return await database.$queryRaw<LoggedFact[]>`
    SELECT fact.chain_id AS "chainId", fact.block_hash AS "blockHash", fact.log_index AS "logIndex",
      fact.block_number AS "blockNumber", fact.block_timestamp AS "blockTimestamp", fact.tx_hash AS "txHash",
      fact.kind, fact.ref, fact.args
    FROM chain_fact fact
    JOIN unnest(${owners.map((owner) => owner.recipient)}::text[], ${owners.map((owner) => owner.token)}::text[])
      AS owner (recipient, token) ON fact.args->>'recipient' = owner.recipient AND fact.args->>'token' = owner.token
    WHERE fact.chain_id = ${chainId} AND fact.kind IN ('Credited', 'Claimed') AND fact.kind = ANY(${[...kinds]})
      AND (${escrow}::text IS NULL OR fact.address = ${escrow}) AND fact.block_number >= ${from}
      AND fact.status IN ('CONFIRMED', 'FINAL')`;
}

export function toCredit(fact: LoggedFact): Credit | null {
  const event = parseEscrowEvent(fact.kind, fact.args) ?? parseSolanaEvent(fact.kind, fact.args);
  if (event?.kind !== 'Credited' || fact.ref === null) return null;
  const { role, amount } = event;
  const keptAt = 'keptAt' in event ? event.keptAt : null;
  return { ...placeOf(fact), ...ownerOf(event), termsHash: fact.ref, role, amount, keptAt };
}

export function toClaim(fact: LoggedFact): Claim | null {
  const event = parseEscrowEvent(fact.kind, fact.args) ?? parseSolanaEvent(fact.kind, fact.args);
  if (event?.kind !== 'Claimed') return null;
  return { ...placeOf(fact), ...ownerOf(event), to: plainAddress(event.to), amount: event.amount };
}

function ownerOf({ recipient, token }: CreditOwner): CreditOwner {
  return { recipient: plainAddress(recipient), token: plainAddress(token) };
}

function placeOf({ chainId, blockNumber, blockHash, blockTimestamp, txHash, logIndex }: LoggedFact): CreditPlace {
  return { chainId, blockNumber, blockHash, blockTimestamp, txHash, logIndex };
}
