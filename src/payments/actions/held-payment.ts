import type { Address } from 'viem';
import type {
  DatabaseTransaction,
  OutgoingTransaction,
  PaymentIntent,
  Transaction,
  TransactionType,
} from '../../../prisma/client.ts';
import type { Chain, Registry } from '../../chains/registry.ts';
import { GatewayError } from '../../errors.ts';
import { type SolanaTerms, solanaTermsFromJson } from '../../escrow/solana/solana-terms.ts';
import { type PaymentTerms, termsFromJson } from '../../escrow/terms.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { acceptedKey, type PaymentKey } from '../payment-key.ts';

/** A payment's money in the escrow, and the terms it is held under. */
export type HeldPayment = {
  chain: Chain;
  chainId: number;
  escrow: Address;
  termsHash: string;
  terms: PaymentTerms;
  tokenKey: string;
  /** Base units, as last folded. */
  left: bigint;
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
  throw new GatewayError('INVALID_STATE', 'A payment on Solana can be refunded or settled, and nothing else.', {
    meta: { paymentIntentId: request.intent.id, chainId: held.chain.chainId },
  });
}

/** Reads the accepted terms of a payment on any chain. Throws INVALID_STATE if it was not authorized. */
export async function heldMoney(
  tx: DatabaseTransaction,
  { registry, intent }: { registry: Registry; intent: PaymentIntent },
): Promise<HeldMoney> {
  const { leftAmount, authorizationWalletAddress: payer } = intent;
  const key = acceptedKey(intent);
  if (key === null || leftAmount === null) throw nothingHeld(intent);
  const row = await tx.paymentTerms.findUniqueOrThrow({ where: { chainId_termsHash: key } });
  const rest = { ...key, tokenKey: row.tokenKey, left: toBigInt(leftAmount) };
  const chain = registry.chain(row.chainId);
  if (chain?.family === 'SOLANA') {
    if (payer === null) throw nothingHeld(intent);
    return { ...rest, family: 'SOLANA', chain, terms: solanaTermsFromJson(row.terms), payer };
  }
  return { ...rest, family: 'EVM', ...escrowOf(registry, row.chainId), terms: termsFromJson(row.terms) };
}

function nothingHeld(intent: PaymentIntent): GatewayError {
  return new GatewayError('INVALID_STATE', `The payment intent is ${intent.status}: nothing is held for it.`);
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
export async function pendingMoneyOut(
  tx: DatabaseTransaction,
  { chainId, termsHash }: PaymentKey,
): Promise<Transaction | null> {
  const open = await tx.transaction.findMany({
    where: { chainId, termsHash, status: { in: ['PENDING', 'REORGED'] }, type: { in: [...takesMoneyOut] } },
    orderBy: { id: 'desc' },
  });
  for (const row of open) {
    if (row.status === 'PENDING') return row;
    const sent = await tx.outgoingTransaction.findUnique({
      where: { transactionId: row.id },
      select: { status: true },
    });
    if (sent && sent.status !== 'FAILED' && sent.status !== 'CANCELLED') return row;
  }
  return null;
}

/** Throws INVALID_STATE while another transaction that takes money out of these terms is pending. */
export async function demandNoMoneyOut(tx: DatabaseTransaction, key: PaymentKey): Promise<void> {
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
