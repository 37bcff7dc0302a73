import type { Address } from 'viem';
import type {
  DatabaseTransaction,
  OutgoingTransaction,
  PaymentIntent,
  PaymentTerms as PaymentTermsRow,
  Transaction,
  TransactionType,
} from '../../../prisma/client.ts';
import type { Chain, Registry } from '../../chains/registry.ts';
import { GatewayError } from '../../errors.ts';
import { type SolanaTerms, solanaTermsFromJson } from '../../escrow/solana/solana-terms.ts';
import { type PaymentTerms, termsFromJson } from '../../escrow/terms.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { acceptedKey, keyText, type PaymentKey } from '../payment-key.ts';

/** A payment's money in the escrow, and the terms it is held under. */
export type HeldPayment = {
  chain: Chain;
  chainId: number;
  escrow: Address;
  termsHash: string;
  terms: PaymentTerms;
  tokenKey: string;
  /** Base units, as last folded. */
  remainingAmount: bigint;
};

/** A payment's money in a vault on Solana; `payer` is the wallet that paid. */
export type HeldInVault = Omit<HeldPayment, 'escrow' | 'terms'> & { terms: SolanaTerms; payer: string };

export type HeldMoney = (HeldPayment & { family: 'EVM' }) | (HeldInVault & { family: 'SOLANA' });

/** Transaction types that take money out of the escrow. At most one is pending per payment. */
const takesMoneyOut = [
  'CAPTURE',
  'VOID',
  'RECLAIM',
  'REFUND',
  'SETTLE',
  'RESOLVE',
] as const satisfies TransactionType[];

/**
 * Reads the accepted terms of a payment that was authorized in the contract. Throws INVALID_STATE if it was not authorized, or if
 * it is in a vault on Solana, where it can only be refunded or settled.
 */
export async function heldPayment(
  tx: DatabaseTransaction,
  request: { registry: Registry; intent: PaymentIntent },
): Promise<HeldPayment> {
  const held = await heldMoney(tx, request);
  if (held.family === 'EVM') return held;
  throw new GatewayError('INVALID_STATE', 'A payment on Solana can only be refunded or settled.', {
    meta: { paymentIntentId: request.intent.id, chainId: held.chain.chainId },
  });
}

/** Reads the accepted terms of a payment on any chain. Throws INVALID_STATE if it was not authorized. */
export async function heldMoney(
  tx: DatabaseTransaction,
  { registry, intent }: { registry: Registry; intent: PaymentIntent },
): Promise<HeldMoney> {
  const key = acceptedKey(intent);
  if (key === null) throw nothingHeld(intent);
  const row = await tx.paymentTerms.findUniqueOrThrow({ where: { chainId_termsHash: key } });
  return heldUnder(row, { registry, intent });
}

/** Reads the accepted terms of several payments, as `heldMoney` does, by intent id. */
export async function heldMoneyOf(
  tx: DatabaseTransaction,
  { registry, intents }: { registry: Registry; intents: readonly PaymentIntent[] },
): Promise<Map<string, HeldMoney>> {
  const rows = await tx.paymentTerms.findMany({
    where: { termsHash: { in: intents.flatMap(({ acceptedTermsHash }) => acceptedTermsHash ?? []) } },
  });
  const terms = new Map(rows.map((row) => [keyText(row), row]));
  const held = new Map<string, HeldMoney>();
  for (const intent of intents) {
    const key = acceptedKey(intent);
    const row = key && terms.get(keyText(key));
    if (!row) throw nothingHeld(intent);
    held.set(intent.id, heldUnder(row, { registry, intent }));
  }
  return held;
}

function heldUnder(
  row: PaymentTermsRow,
  { registry, intent }: { registry: Registry; intent: PaymentIntent },
): HeldMoney {
  const { leftAmount, authorizationWalletAddress: payer } = intent;
  if (leftAmount === null) throw nothingHeld(intent);
  const { chainId, termsHash, tokenKey } = row;
  const rest = { chainId, termsHash, tokenKey, remainingAmount: toBigInt(leftAmount) };
  const chain = registry.chain(chainId);
  if (chain?.family === 'SOLANA') {
    if (payer === null) throw nothingHeld(intent);
    return { ...rest, family: 'SOLANA', chain, terms: solanaTermsFromJson(row.terms), payer };
  }
  return { ...rest, family: 'EVM', ...escrowOf(registry, chainId), terms: termsFromJson(row.terms) };
}

function nothingHeld(intent: PaymentIntent): GatewayError {
  return new GatewayError('INVALID_STATE', `The payment intent is ${intent.status}: the escrow holds nothing for it.`);
}

/** The chain and its escrow. Throws CHAIN_UNAVAILABLE if the payment's chain is no longer configured. */
export function escrowOf(registry: Registry, chainId: number): { chain: Chain; escrow: Address } {
  const chain = registry.chain(chainId);
  if (!chain?.escrow) throw new GatewayError('CHAIN_UNAVAILABLE', `Chain ${chainId} is not configured.`);
  return { chain, escrow: chain.escrow };
}

/**
 * The pending transaction that takes money out of these terms, or null: a PENDING one, or one that a reorganization removed from
 * its block and that is being sent again.
 */
export async function pendingMoneyOut(tx: DatabaseTransaction, key: PaymentKey): Promise<Transaction | null> {
  const pending = await pendingMoneyOutOf(tx, [key]);
  return pending.get(keyText(key)) ?? null;
}

/** The pending transactions of several payments, as `pendingMoneyOut` reads them, by `keyText`. */
export async function pendingMoneyOutOf(
  tx: DatabaseTransaction,
  keys: readonly PaymentKey[],
): Promise<Map<string, Transaction>> {
  const open = await tx.transaction.findMany({
    where: {
      termsHash: { in: keys.map(({ termsHash }) => termsHash) },
      status: { in: ['PENDING', 'REORGED'] },
      type: { in: [...takesMoneyOut] },
    },
    orderBy: { id: 'asc' },
  });
  const reorged = open.filter((row) => row.status === 'REORGED').map(({ id }) => id);
  const sent =
    reorged.length === 0
      ? []
      : await tx.outgoingTransaction.findMany({
          where: { transactionId: { in: reorged }, status: { notIn: ['FAILED', 'CANCELLED'] } },
          select: { transactionId: true },
        });
  const sentAgain = new Set(sent.map(({ transactionId }) => transactionId));
  const pending = open.filter((row) => row.status === 'PENDING' || sentAgain.has(row.id));
  // The newest of each payment comes last and replaces the others.
  return new Map(pending.map((row) => [keyText(row), row]));
}

/** Throws INVALID_STATE while another transaction that takes money out of these terms is pending. */
export async function requireNoMoneyOut(tx: DatabaseTransaction, key: PaymentKey): Promise<void> {
  const pending = await pendingMoneyOut(tx, key);
  if (!pending) return;
  throw new GatewayError('INVALID_STATE', `A ${pending.type} transaction of this payment is still pending.`, {
    meta: { transactionId: pending.id },
  });
}

/**
 * Withdraws the settlement of a payment on Solana that waits to be signed, so that the payment can still be refunded: none of its
 * transactions can be mined any more. Returns its outgoing row, or null if none waits or it is signed already.
 */
export async function withdrawSettlement(
  tx: DatabaseTransaction,
  { chainId, termsHash }: PaymentKey,
): Promise<OutgoingTransaction | null> {
  const settlement = await tx.transaction.findFirst({
    where: { chainId, termsHash, type: 'SETTLE', status: 'PENDING' },
    select: { id: true },
  });
  if (!settlement) return null;
  const error = 'The payment is refunded.';
  const dropped = await tx.outgoingTransaction.updateMany({
    where: { transactionId: settlement.id, status: 'QUEUED' },
    data: { status: 'CANCELLED', error },
  });
  if (dropped.count === 0) return null;
  await tx.transaction.update({ where: { id: settlement.id }, data: { status: 'FAILED', error } });
  return await tx.outgoingTransaction.findUnique({ where: { transactionId: settlement.id } });
}
