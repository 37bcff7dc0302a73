/** What a transaction on Solana means for payments: deposits and payouts, vault by vault. */
import { createHash } from 'node:crypto';
import type { DatabaseTransaction, SolanaWatch } from '../../../prisma/client.ts';
import { NATIVE } from '../../chains/chain.ts';
import type { Registry } from '../../chains/registry.ts';
import { type PayoutPlan, payoutPlanFromText, payoutTotal } from '../../escrow/solana/payout-plan.ts';
import type { ChainLog } from '../../facts/chain-fact.ts';
import { payerOf, type SolanaTransaction } from '../../facts/solana/solana-transaction.ts';
import type { Log } from '../../platform/log.ts';
import { readDeposit } from './read-deposit.ts';
import type { VaultChange, VaultEvent } from './vault-change.ts';

type World = { registry: Registry; log: Log };

/**
 * Returns the facts of a transaction that the inbox does not hold yet. Each vault is evaluated by its own balance change, so a
 * single transaction that pays several orders counts once for each. Writes the terms of deposits that no quote covers.
 */
export async function interpretTransaction(
  tx: DatabaseTransaction,
  world: World,
  transaction: SolanaTransaction,
): Promise<ChainLog[]> {
  const byOwner = await watchesByOwner(tx, transaction);
  const logs: ChainLog[] = [];
  for (const change of transaction.changes) {
    const watches = byOwner.get(change.owner);
    if (!watches || (await isKnown(tx, transaction, change.account))) continue;
    const payer = payerOf(transaction, change.account);
    const vaultChange = { transaction, change, watches, payer };
    const events =
      change.change > 0n ? await readDeposit(tx, world, vaultChange) : await readPayout(tx, world, vaultChange);
    logs.push(...events.map((event, index) => toLog(vaultChange, event, index)));
  }
  return byOwner.size > 0 ? logs : await readDelivery(tx, transaction);
}

/** A delivery by the gateway emptied an account of kept shares: it paid the recipient everything that had been kept up to then. */
async function readDelivery(tx: DatabaseTransaction, transaction: SolanaTransaction): Promise<ChainLog[]> {
  const attempt = await tx.outgoingAttempt.findUnique({
    where: { hash: transaction.signature },
    include: { outgoing: true },
  });
  const plan = attempt && payoutPlanFromText(attempt.outgoing.data);
  if (!plan?.keptFor) return [];
  const change = transaction.changes.find(({ account, change }) => account === plan.vault && change < 0n);
  if (!change || (await isKnown(tx, transaction, change.account))) return [];
  const { recipient } = plan.keptFor;
  const args = { recipient, token: plan.mint ?? NATIVE, to: recipient, amount: String(payoutTotal(plan)) };
  return [toLog({ transaction, change }, { kind: 'Claimed', termsHash: null, args }, 0)];
}

/** All watches of the intents that the transaction touches, by vault owner, newest first. */
async function watchesByOwner(
  tx: DatabaseTransaction,
  { chainId, accounts, changes }: SolanaTransaction,
): Promise<Map<string, SolanaWatch[]>> {
  const owners = [...new Set(changes.map((change) => change.owner))];
  const touched = await tx.solanaWatch.findMany({
    where: { chainId, OR: [{ vaultOwner: { in: owners } }, { reference: { in: accounts } }] },
    select: { vaultOwner: true },
  });
  const watches = await tx.solanaWatch.findMany({
    where: { chainId, vaultOwner: { in: touched.map((watch) => watch.vaultOwner) } },
    orderBy: [{ createdAt: 'desc' }, { termsHash: 'desc' }],
  });
  const byOwner = new Map<string, SolanaWatch[]>();
  for (const watch of watches) byOwner.set(watch.vaultOwner, [...(byOwner.get(watch.vaultOwner) ?? []), watch]);
  return byOwner;
}

async function isKnown(
  tx: DatabaseTransaction,
  { chainId, signature, blockHash }: SolanaTransaction,
  account: string,
): Promise<boolean> {
  const found = await tx.chainFact.findFirst({
    where: { chainId, blockHash, txHash: signature, address: account, status: { not: 'ORPHANED' } },
  });
  return found !== null;
}

/**
 * Money must leave a vault only by a transaction of the gateway, which is recorded before it is sent; anything else is logged as an
 * error.
 */
async function readPayout(tx: DatabaseTransaction, { log }: World, vault: VaultChange): Promise<VaultEvent[]> {
  const { signature, chainId } = vault.transaction;
  const attempt = await tx.outgoingAttempt.findUnique({ where: { hash: signature }, include: { outgoing: true } });
  const row =
    attempt?.outgoing.transactionId == null
      ? null
      : await tx.transaction.findUnique({ where: { id: attempt.outgoing.transactionId } });
  const plan = attempt && payoutPlanFromText(attempt.outgoing.data);
  if (!row?.termsHash || !plan || payoutTotal(plan) !== -vault.change.change) {
    log.error(
      { chainId, signature, vault: vault.change.account },
      'VAULT MOVED: funds left a vault in a transaction that this gateway did not send.',
    );
    return [];
  }
  const deposit = await tx.chainFact.findFirst({
    where: { chainId, ref: row.termsHash, kind: 'Authorized', status: { not: 'ORPHANED' } },
  });
  const args = {
    id: row.termsHash,
    payer: payerOfArgs(deposit?.args) ?? plan.transfers[0]?.to ?? '',
    left: '0',
  };
  const { termsHash } = row;
  const kept = keptOf(vault, { plan, termsHash, isSettlement: row.type === 'SETTLE' });
  const [first, fee] = plan.transfers;
  if (row.type === 'SETTLE') {
    const amounts = { merchantAmount: String(first?.amount ?? 0n), feeAmount: String(fee?.amount ?? 0n) };
    return [{ kind: 'Settled', termsHash, args: { ...args, ...amounts } }, ...kept];
  }
  return [{ kind: 'Refunded', termsHash, args: { ...args, amount: String(payoutTotal(plan)) } }, ...kept];
}

/** The shares that went to the accounts that keep them, according to the balances. A settlement pays the merchant first. */
function keptOf(
  { transaction }: VaultChange,
  { plan, termsHash, isSettlement }: { plan: PayoutPlan; termsHash: string; isSettlement: boolean },
): VaultEvent[] {
  const filled = new Set(transaction.changes.filter(({ change }) => change > 0n).map(({ account }) => account));
  return plan.transfers.flatMap(({ to: recipient, amount, keptAt }, index) => {
    if (keptAt === null || !filled.has(keptAt)) return [];
    const role = isSettlement ? settlementRoles[index] : 'PAYER';
    const args = { id: termsHash, recipient, token: plan.mint ?? NATIVE, amount: String(amount), role, keptAt };
    return [{ kind: 'Credited', termsHash, args }];
  });
}

const settlementRoles = ['MERCHANT', 'FEE_RECIPIENT'] as const;

function payerOfArgs(args: unknown): string | null {
  if (typeof args !== 'object' || args === null || !('payer' in args)) return null;
  return typeof args.payer === 'string' ? args.payer : null;
}

function toLog(
  { transaction, change }: Pick<VaultChange, 'transaction' | 'change'>,
  event: VaultEvent,
  index: number,
): ChainLog {
  const { chainId, slot, blockHash, blockTime, signature } = transaction;
  return {
    chainId,
    blockNumber: slot,
    blockHash,
    blockTimestamp: blockTime,
    txHash: signature,
    logIndex: placeOf(signature, change.account) * EVENTS_A_VAULT + index,
    address: change.account,
    kind: event.kind,
    ref: event.termsHash,
    args: event.args,
  };
}

/** A deposit has at most four events: two of the payment, and two of the excess. A payout has its own event and one per share. */
const EVENTS_A_VAULT = 8;
const PLACE_BITS = 28;

/** A slot does not show a transaction's position in it, so one is derived from a hash: deterministic, and distinct to 28 bits. */
function placeOf(signature: string, account: string): number {
  const digest = createHash('sha256').update(`${signature}/${account}`).digest();
  return digest.readUInt32BE(0) >>> (32 - PLACE_BITS);
}
