import type { Database, Dispute, ExactAuthorization, PaymentIntent, PaymentTerms } from '../../../prisma/client.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import type { SolanaNodes } from '../../chains/solana/open-solana-nodes.ts';
import { GatewayError, notFound } from '../../errors.ts';
import type { LogSource } from '../../facts/log-source.ts';
import { printBaseUnits, toBigInt } from '../../prices/base-units.ts';
import { agrees, noPayment, type PaymentState } from '../fold.ts';
import { isAccepted } from '../payment-key.ts';
import { statusOf } from '../payment-status.ts';
import { creditsOf } from '../payouts/credit-facts.ts';
import { bookFaults } from './book-faults.ts';
import { heldInBooks } from './held-in-books.ts';
import { readBooks } from './read-books.ts';
import { confirmedView, type PaymentOnChain, readPayment } from './read-payment.ts';
import { describeCredit, verifyCredits } from './verify-credits.ts';
import { verifyKeptShares } from './verify-kept-shares.ts';
import { verifyTransfer } from './verify-transfer.ts';
import { verifyVault } from './verify-vaults.ts';

export type VerifiedPayment = {
  termsHash: string;
  chainId: number;
  tokenKey: string;
  accepted: boolean;
  /** The contract's status at the confirmed height; amounts in base units. */
  status: string;
  left: string;
  booked: string;
  faults: string[];
};

export type Verification = {
  paymentIntentId: string;
  status: string;
  verdict: 'MATCH' | 'DRIFT';
  payments: VerifiedPayment[];
  faults: string[];
};

/**
 * Recomputes an intent's state from the nodes of its chains alone (hash of the terms, contract, logs) and compares it with the recorded
 * state, and the records with the inbox field by field. Writes nothing. Throws NOT_FOUND for an unknown intent, and CHAIN_UNAVAILABLE.
 */
export async function verifyPayment(
  world: {
    database: Database;
    nodes: EvmNodes;
    solanaNodes?: SolanaNodes | undefined;
    registry: Registry;
    logs: LogSource;
  },
  { intentId }: { intentId: string },
): Promise<Verification> {
  const intent = await world.database.paymentIntent.findUnique({
    where: { id: intentId },
    include: { terms: true, dispute: true, exact: true },
  });
  if (!intent) throw notFound('payment intent');
  const payments: VerifiedPayment[] = [];
  const faults: string[] = [];
  let accepted: Pick<PaymentOnChain, 'folded'> | null = null;
  for (const terms of intent.terms) {
    const family = world.registry.chain(terms.chainId)?.family;
    if (family === 'SOLANA') {
      const { payment, folded } = await verifyVaultPayment(world, { intent, terms });
      if (payment.accepted) accepted = { folded };
      payments.push(payment);
    }
    if (family !== 'EVM') continue;
    const cursor = await world.database.chainCursor.findUnique({ where: { chainId: terms.chainId } });
    const view = await confirmedView(world, terms.chainId);
    const found = await readPayment(world, { terms, from: cursor?.startNumber ?? 0n, view });
    if (isAccepted(intent, terms)) accepted = found;
    payments.push(await verifyEscrowPayment(world.database, { intent, terms, found }));
    const credits = await verifyCredits(world, {
      chainId: terms.chainId,
      block: view.confirmed,
      paymentIntentId: intentId,
    });
    for (const fault of credits.map(describeCredit)) if (!faults.includes(fault)) faults.push(fault);
  }
  const { exact } = intent;
  if (exact) payments.push(await verifyTransferPayment(world, { intent, authorization: exact }));
  faults.push(...(exact ? transferFaults(intent, exact) : intentFaults(intent, accepted)));
  const books = await readBooks(world, { paymentIntentId: intentId });
  if (books) faults.push(...bookFaults(books));
  const matches = faults.length === 0 && payments.every((payment) => payment.faults.length === 0);
  return {
    paymentIntentId: intent.id,
    status: intent.status,
    verdict: matches ? 'MATCH' : 'DRIFT',
    payments,
    faults,
  };
}

async function verifyVaultPayment(
  { database, solanaNodes }: { database: Database; solanaNodes?: SolanaNodes | undefined },
  { intent, terms }: { intent: PaymentIntent; terms: PaymentTerms },
): Promise<{ payment: VerifiedPayment; folded: PaymentState | null }> {
  const { chainId, termsHash, tokenKey } = terms;
  if (!solanaNodes) throw new GatewayError('CHAIN_UNAVAILABLE', `Chain ${chainId} has no node.`);
  const { state, left, booked, faults } = await verifyVault({ database, solanaNodes }, { terms });
  const credited = await creditsOf(database, { chainId, escrow: null, termsHashes: [termsHash] });
  const total = credited.reduce((sum, { amount }) => sum + amount, 0n);
  faults.push(...(await creditFaults(database, { chainId, termsHash, credited: total })));
  const short = await verifyKeptShares({ database, solanaNodes }, { chainId, paymentIntentId: intent.id });
  faults.push(...short.map(describeCredit));
  const accepted = isAccepted(intent, terms);
  const status = state?.status ?? 'UNKNOWN';
  return { payment: { termsHash, chainId, tokenKey, accepted, status, left, booked, faults }, folded: state };
}

/** A payment that went directly to the merchant. The escrow holds nothing for it. */
async function verifyTransferPayment(
  world: { database: Database; nodes: EvmNodes; registry: Registry },
  { intent, authorization }: { intent: PaymentIntent; authorization: ExactAuthorization },
): Promise<VerifiedPayment> {
  const { chainId, tokenKey, paymentKey: termsHash } = authorization;
  const view = await confirmedView(world, chainId);
  const { status, faults } = await verifyTransfer(world, { authorization, view });
  const booked = (await heldInBooks(world.database, { chainId, termsHashes: [termsHash] })).get(termsHash) ?? 0n;
  if (booked !== 0n) faults.push(`The books hold ${booked} in escrow for a payment that was never there.`);
  const accepted = isAccepted(intent, { chainId, termsHash });
  return { termsHash, chainId, tokenKey, accepted, status, left: '0', booked: String(booked), faults };
}

function transferFaults(intent: PaymentIntent, { status }: ExactAuthorization): string[] {
  const expected = status === 'PENDING' ? 'CREATED' : status;
  return intent.status === expected ? [] : [`The status is ${intent.status}, its authorization is ${status}.`];
}

async function verifyEscrowPayment(
  database: Database,
  { intent, terms, found }: { intent: PaymentIntent; terms: PaymentTerms; found: PaymentOnChain },
): Promise<VerifiedPayment> {
  const { contract, folded, recomputedHash } = found;
  const { chainId, termsHash } = terms;
  const booked = (await heldInBooks(database, { chainId, termsHashes: [termsHash] })).get(termsHash) ?? 0n;
  const faults: string[] = [];
  if (recomputedHash !== terms.termsHash) faults.push(`The kept terms hash to ${recomputedHash}.`);
  if (!folded) faults.push('The logs of the node make no sense in their order.');
  else if (!agrees(folded, contract)) {
    faults.push(`The logs say ${folded.status} with ${folded.left} left, ${folded.dispute ? '' : 'not '}disputed.`);
  }
  if (booked !== contract.left) faults.push(`The books hold ${booked}, the contract ${contract.left}.`);
  faults.push(...(await creditFaults(database, { chainId, termsHash, credited: found.credited })));
  return {
    termsHash: terms.termsHash,
    chainId: terms.chainId,
    tokenKey: terms.tokenKey,
    accepted: isAccepted(intent, terms),
    status: contract.status,
    left: String(contract.left),
    booked: String(booked),
    faults,
  };
}

/** Describes where payouts and ledger differ from the amounts that were credited for one payment according to the node's logs. */
async function creditFaults(
  database: Database,
  { chainId, termsHash, credited }: { chainId: number; termsHash: string; credited: bigint },
): Promise<string[]> {
  const [payouts, entries] = await Promise.all([
    database.creditedPayout.findMany({ where: { chainId, termsHash }, select: { amount: true, deliveredAt: true } }),
    database.ledgerEntry.findMany({
      where: { chainId, termsHash, account: 'UNDELIVERED' },
      select: { amount: true },
    }),
  ]);
  const sum = (rows: readonly { amount: { toFixed(): string } }[]) =>
    rows.reduce((total, { amount }) => total + toBigInt(amount), 0n);
  const faults: string[] = [];
  if (sum(payouts) !== credited) faults.push(`The logs credit ${credited}, of which ${sum(payouts)} are known.`);
  const undelivered = sum(payouts.filter(({ deliveredAt }) => deliveredAt === null));
  if (sum(entries) !== undelivered) {
    faults.push(`The books have ${sum(entries)} undelivered, the payouts ${undelivered}.`);
  }
  return faults;
}

function intentFaults(
  intent: PaymentIntent & { dispute: Dispute | null },
  accepted: Pick<PaymentOnChain, 'folded'> | null,
): string[] {
  if (intent.acceptedTermsHash !== null && !accepted) return ['The accepted terms are not among the kept ones.'];
  const state = accepted ? accepted.folded : noPayment;
  if (!state) return [];
  const expected = statusOf(state, {
    cancelled: intent.status === 'CANCELLED',
    failed: intent.status === 'FAILED',
    refundPending: intent.status === 'REFUND_PENDING',
  });
  const faults = expected === intent.status ? [] : [`The status is ${intent.status}, the chain says ${expected}.`];
  const remaining = printBaseUnits(intent.leftAmount) ?? '0';
  if (remaining !== String(state.left)) faults.push(`The intent has ${remaining} left, the chain ${state.left}.`);
  if (state.dispute && !intent.dispute) faults.push('The chain has a dispute that the intent lacks.');
  if (intent.dispute && !state.dispute) faults.push('The intent has a dispute that the chain lacks.');
  return faults;
}
