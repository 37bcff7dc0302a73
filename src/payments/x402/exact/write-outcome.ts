import { getAddress } from 'viem';
import type { DatabaseTransaction, ExactAuthorization, PaymentIntent, Prisma } from '../../../../prisma/client.ts';
import type { Registry } from '../../../chains/registry.ts';
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/identifier.ts';
import { toDecimal } from '../../../prices/base-units.ts';
import { missingOf, transferBooking } from '../../ledger.ts';
import { type ExactOutcome, hex } from './exact-authorization.ts';

export type OutcomeWorld = { clock: Clock; registry: Pick<Registry, 'token'> };
type Written = { authorization: ExactAuthorization; outcome: ExactOutcome; gasUsed: bigint | null };

/**
 * Writes the outcome of an authorization to its row, and to its intent, the intent's settlement and the ledger, if it has an intent, which is
 * returned. Writing the same outcome again changes nothing. The caller holds the locks of both and appends the events.
 */
export async function writeOutcome(
  tx: DatabaseTransaction,
  world: OutcomeWorld,
  { authorization, outcome, gasUsed }: Written,
): Promise<PaymentIntent | null> {
  const { id, paymentIntentId } = authorization;
  const { status, failure, fact } = outcome;
  await tx.exactAuthorization.update({
    where: { id },
    data: {
      status,
      failure,
      settledAt: status === 'SETTLED' && fact ? blockTime(fact) : null,
      txHash: fact?.txHash ?? null,
      blockNumber: fact?.blockNumber ?? null,
      blockHash: fact?.blockHash ?? null,
    },
  });
  if (paymentIntentId === null) return null;
  const now = world.clock.now();
  await writeSettlement(tx, { authorization, outcome, gasUsed, paymentIntentId, now });
  await writeBooks(tx, { authorization, outcome, paymentIntentId, now });
  return await tx.paymentIntent.update({
    where: { id: paymentIntentId },
    data: { ...intentColumns(world, { authorization, outcome }), status: intentStatus(outcome) },
  });
}

function intentStatus({ status }: ExactOutcome) {
  if (status === 'SETTLED') return 'SETTLED';
  return status === 'FAILED' ? 'FAILED' : 'CREATED';
}

function intentColumns(
  { registry }: OutcomeWorld,
  { authorization, outcome }: Omit<Written, 'gasUsed'>,
): Prisma.PaymentIntentUncheckedUpdateInput {
  const { status, fact } = outcome;
  const { chainId, paymentKey, payer, tokenKey, amount, exchangeRate, signature } = authorization;
  if (status !== 'SETTLED' || !fact) {
    return {
      acceptedTermsHash: null,
      leftAmount: null,
      authorizationChainId: null,
      authorizationTokenKey: null,
      authorizationWalletAddress: null,
      authorizationTxHash: null,
      authorizationSignature: null,
      cryptoAmount: null,
      cryptoTokenKey: null,
      cryptoTokenDecimals: null,
      exchangeRate: null,
      settledAt: null,
    };
  }
  return {
    acceptedTermsHash: paymentKey,
    leftAmount: 0,
    authorizationChainId: chainId,
    authorizationTokenKey: tokenKey,
    authorizationWalletAddress: getAddress(hex(payer)),
    authorizationTxHash: fact.txHash,
    authorizationSignature: signature,
    cryptoAmount: amount,
    cryptoTokenKey: tokenKey,
    cryptoTokenDecimals: registry.token(tokenKey)?.decimals ?? null,
    exchangeRate,
    settledAt: blockTime(fact),
  };
}

/** The step of the intent's history: the row of the gateway's transfer, or one for another sender's transaction. */
async function writeSettlement(
  tx: DatabaseTransaction,
  { authorization, outcome, gasUsed, paymentIntentId, now }: Written & { paymentIntentId: string; now: Date },
): Promise<void> {
  const { chainId, paymentKey: termsHash, amount } = authorization;
  const fact = outcome.status === 'SETTLED' ? outcome.fact : null;
  await tx.transaction.updateMany({
    where: { chainId, termsHash, status: 'CONFIRMED', ...(fact ? { txHash: { not: fact.txHash } } : {}) },
    data: { status: 'REORGED', confirmedAt: null },
  });
  if (!fact) return;
  const attempt = await tx.outgoingAttempt.findUnique({
    where: { hash: fact.txHash },
    select: { outgoing: { select: { transactionId: true } } },
  });
  const rows = await tx.transaction.findMany({ where: { chainId, termsHash }, orderBy: { id: 'asc' } });
  const row = rows.find((one) => one.txHash === fact.txHash || one.id === attempt?.outgoing.transactionId);
  const { txHash, blockNumber, blockHash, logIndex } = fact;
  const data = {
    ...{ txHash, blockNumber, blockHash, logIndex, amount, error: null },
    status: 'CONFIRMED' as const,
    gasUsed: gasUsed ?? row?.gasUsed ?? null,
    confirmedAt: now,
  };
  if (row) await tx.transaction.update({ where: { id: row.id }, data });
  else
    await tx.transaction.create({
      data: { id: newId(), paymentIntentId, chainId, type: 'SETTLE', termsHash, ...data },
    });
}

async function writeBooks(
  tx: DatabaseTransaction,
  { authorization, outcome, paymentIntentId, now }: Omit<Written, 'gasUsed'> & { paymentIntentId: string; now: Date },
): Promise<void> {
  const { chainId, paymentKey: termsHash, tokenKey } = authorization;
  const booked = await tx.ledgerEntry.findMany({ where: { chainId, termsHash } });
  const booking = outcome.fact && transferBooking(outcome.fact);
  const missing = missingOf(booked, booking ? [booking] : []);
  if (missing.length === 0) return;
  const data = missing.map((line) => ({
    ...line,
    id: newId(),
    paymentIntentId,
    termsHash,
    tokenKey,
    amount: toDecimal(line.amount),
    createdAt: now,
  }));
  await tx.ledgerEntry.createMany({ data });
}

function blockTime({ blockTimestamp }: { blockTimestamp: bigint }): Date {
  return new Date(Number(blockTimestamp) * 1000);
}
