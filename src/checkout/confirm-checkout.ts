import type { Hex } from 'viem';
import type { DatabaseTransaction, PaymentTerms, Quote } from '../../prisma/client.ts';
import type { Scope } from '../auth/principal.ts';
import { canonicalSignature, isSignedByKey, isSignedOnChain } from '../chains/evm/signature.ts';
import { type FieldFault, GatewayError, invalid, notFound } from '../errors.ts';
import type { Call } from '../escrow/calldata.ts';
import { termsFromJson } from '../escrow/terms.ts';
import { RELAY_SENDER } from '../operator/relay.ts';
import { isAccepted } from '../payments/payment-key.ts';
import { requestAuthorization } from '../payments/transactions/request-authorization.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import {
  askedSignatures,
  type PlannedPayment,
  readPlan,
  relayCall,
  type SignatureName,
  type Signatures,
  signedDigest,
} from './authorization-plan.ts';
import type { SessionWithItems } from './checkout-session.ts';
import type { CheckoutWorld } from './checkout-world.ts';
import { requireUnpaid } from './require-payable.ts';
import { inOrder, lockPaymentIntent, lockWallet, relayUnderWay, requireSession, type SessionToPay } from './store.ts';

export type ConfirmInput = {
  /** The session's latest quote by default. */
  quoteId?: string | null | undefined;
  signatures?: { [Name in SignatureName]?: Hex | null | undefined } | null | undefined;
  /** The transaction of a DIRECT payment, on Solana its signature. Only a hint: the payment is detected on chain. */
  txHash?: string | null | undefined;
};

type QuoteWithTerms = { quote: Quote; signed: PaymentTerms };

/** An approval may not be mined yet when its payment is confirmed: the pump retries for about two minutes. */
const APPROVAL_ATTEMPTS = 8;

/**
 * Confirms a quote. For relayed methods it verifies and stores the payer's signatures and queues the operator's transaction with
 * a PENDING AUTHORIZE row. For DIRECT and TRANSFER nothing is required, and `txHash` is recorded. Confirming again changes nothing and returns
 * the session.
 *
 * Throws NOT_FOUND, VALIDATION_ERROR for a missing or wrong signature (the session stays OPEN), QUOTE_EXPIRED, INVALID_STATE,
 * EXPIRED, and CONFLICT while another relayed payment of the wallet is pending.
 */
export async function confirmCheckout(
  world: Pick<CheckoutWorld, 'database' | 'clock' | 'registry' | 'nodes' | 'operator'>,
  request: { scope: Scope; sessionId: string; input: ConfirmInput; idempotency?: IdempotencyRequest | undefined },
): Promise<SessionWithItems> {
  return await idempotently(world.database, request.idempotency, async (write) => {
    const session = await requireSession(world.database, { scope: request.scope, id: request.sessionId });
    const found = await findQuote(world, session, request.input.quoteId);
    // A payer may see the transaction mined and confirm it before the session has been updated.
    const isPaidByIt = session.paymentIntent !== null && isAccepted(session.paymentIntent, found.quote);
    if (found.quote.confirmedAt !== null || session.status === 'COMPLETE' || isPaidByIt) return session;
    requireInTime(session, found.quote, world.clock.now());
    requireKindOfHash(world, found.quote, request.input.txHash);
    const { signatures, relay } = await checkAnswer(world, found, request.input);
    return await write(async (tx) => {
      const { quote } = found;
      if (relay !== null) await lockWallet(tx, { chainId: quote.chainId, address: quote.walletAddress });
      await lockPaymentIntent(tx, quote.paymentIntentId);
      const fresh = await tx.quote.findUniqueOrThrow({ where: { id: quote.id } });
      if (fresh.confirmedAt !== null) return await readSession(tx, session.id);
      const intent = await tx.paymentIntent.findUniqueOrThrow({ where: { id: quote.paymentIntentId } });
      if (isAccepted(intent, quote)) return await readSession(tx, session.id);
      requireUnpaid(intent);
      if (relay !== null) await queueRelay(tx, { quote, ...relay });
      await recordAnswer(tx, { found, signatures, txHash: request.input.txHash ?? null, now: world.clock.now() });
      // The payer reports that a plain transfer was sent, so its address is read before others. Without a deposit, nothing changes.
      const { chainId, termsHash } = quote;
      await tx.depositAddress.updateMany({ where: { chainId, termsHash }, data: { lookAt: new Date(0) } });
      await tx.checkoutSession.update({
        where: { id: session.id },
        data: { lastErrorCode: null, lastErrorMessage: null },
      });
      return await readSession(tx, session.id);
    });
  });
}

async function readSession(tx: DatabaseTransaction, id: string): Promise<SessionWithItems> {
  return await tx.checkoutSession.findUniqueOrThrow({ where: { id }, include: inOrder });
}

async function findQuote(
  world: Pick<CheckoutWorld, 'database'>,
  session: SessionToPay,
  quoteId: string | null | undefined,
): Promise<QuoteWithTerms> {
  const paymentIntentId = session.paymentIntentId;
  const quote =
    paymentIntentId === null
      ? null
      : await world.database.quote.findFirst({
          where: { paymentIntentId, ...(quoteId ? { id: quoteId } : {}) },
          orderBy: { id: 'desc' },
        });
  if (!quote) {
    if (quoteId) throw notFound('quote', 'quoteId');
    throw new GatewayError('INVALID_STATE', 'Nothing has been prepared for this checkout session.');
  }
  const { chainId, termsHash } = quote;
  const signed = await world.database.paymentTerms.findUniqueOrThrow({
    where: { chainId_termsHash: { chainId, termsHash } },
  });
  return { quote, signed };
}

/** A quote can be confirmed until its own expiry, which may be slightly after its session's. */
function requireInTime(session: SessionToPay, quote: Quote, now: Date): void {
  if (session.status === 'EXPIRED') throw new GatewayError('EXPIRED', 'The checkout session has expired.');
  if (session.paymentIntent) requireUnpaid(session.paymentIntent);
  if (quote.expiresAt > now) return;
  throw new GatewayError(
    'QUOTE_EXPIRED',
    `The quote expired at ${quote.expiresAt.toISOString()}. Prepare the checkout again.`,
    {
      meta: { quoteId: quote.id },
    },
  );
}

/** Rejects a hash in the format of the other chain family, which could never be found. */
function requireKindOfHash(
  world: Pick<CheckoutWorld, 'registry'>,
  quote: Quote,
  txHash: string | null | undefined,
): void {
  if (!txHash) return;
  const isSolana = world.registry.chain(quote.chainId)?.family === 'SOLANA';
  if (isSolana !== txHash.startsWith('0x')) return;
  throw invalid([{ param: 'txHash', message: `is not a transaction of chain ${quote.chainId}` }]);
}

type Relay = { call: Call; payment: PlannedPayment };

/**
 * The verified signatures of the payer, and the call that the operator sends for them, or null if the payer sends the payment.
 */
async function checkAnswer(
  world: Pick<CheckoutWorld, 'registry' | 'nodes'>,
  found: QuoteWithTerms,
  input: ConfirmInput,
): Promise<{ signatures: Signatures; relay: Relay | null }> {
  if (world.registry.chain(found.quote.chainId)?.family === 'SOLANA') return { signatures: {}, relay: null };
  const payment = plannedPayment(world, found);
  const plan = readPlan(found.quote.plan);
  const signatures = await requireSignatures(world, { payment, plan, given: input.signatures ?? {} });
  const operatorSignature = hex(found.signed.operatorSignature);
  const call = relayCall(plan, payment, { ...signatures, operatorSignature });
  return { signatures, relay: call && { call, payment } };
}

function plannedPayment(world: Pick<CheckoutWorld, 'registry'>, found: QuoteWithTerms): PlannedPayment {
  const { quote, signed } = found;
  const escrow = world.registry.chain(quote.chainId)?.escrow;
  const token = world.registry.token(quote.tokenKey);
  if (!escrow || !token) throw new GatewayError('CHAIN_UNAVAILABLE', `Chain ${quote.chainId} is no longer supported.`);
  return { chainId: quote.chainId, escrow, terms: termsFromJson(signed.terms), token };
}

/** All requested signatures, in canonical form. A permit must be signed by an account's own key, as EIP-2612 requires. */
async function requireSignatures(
  world: Pick<CheckoutWorld, 'nodes'>,
  request: {
    payment: PlannedPayment;
    plan: Parameters<typeof askedSignatures>[0];
    given: NonNullable<ConfirmInput['signatures']>;
  },
): Promise<Signatures> {
  const { payment, plan, given } = request;
  const signatures: Signatures = {};
  const faults: FieldFault[] = [];
  for (const { name, typedData } of askedSignatures(plan, payment)) {
    const param = `signatures.${name}`;
    const text = given[name];
    if (!text) {
      faults.push({ param, message: 'is required for this quote' });
      continue;
    }
    const question = {
      signer: payment.terms.payer,
      digest: signedDigest(typedData),
      signature: canonicalSignature(text),
    };
    const isGood =
      name === 'permit'
        ? await isSignedByKey(question)
        : (await isSignedByKey(question)) ||
          (await world.nodes.asking(payment.chainId, (client) => isSignedOnChain({ client }, question)));
    if (isGood) signatures[name] = question.signature;
    else faults.push({ param, message: `is not ${payment.terms.payer}'s signature of the typed data` });
  }
  if (faults.length > 0) throw invalid(faults);
  return signatures;
}

async function queueRelay(tx: DatabaseTransaction, request: Relay & { quote: Quote }): Promise<void> {
  const { quote, call, payment } = request;
  const { paymentIntentId, chainId, termsHash } = quote;
  const underWay = await relayUnderWay(tx, { chainId, address: quote.walletAddress });
  if (underWay !== undefined && underWay !== paymentIntentId) {
    throw new GatewayError('CONFLICT', 'A payment of this wallet is pending on this chain. Wait for it.', {
      meta: { paymentIntentId: underWay },
    });
  }
  await requestAuthorization(tx, {
    paymentIntentId,
    chainId,
    termsHash,
    call,
    amount: payment.terms.amount,
    sender: RELAY_SENDER,
    ...(quote.method === 'APPROVAL' ? { maxFailures: APPROVAL_ATTEMPTS } : {}),
  });
}

async function recordAnswer(
  tx: DatabaseTransaction,
  request: { found: QuoteWithTerms; signatures: Signatures; txHash: string | null; now: Date },
): Promise<void> {
  const { found, signatures, txHash, now } = request;
  const { chainId, termsHash } = found.quote;
  await tx.quote.update({
    where: { id: found.quote.id },
    data: {
      confirmedAt: now,
      signature: signatures.permit ?? signatures.receive ?? null,
      reportedTxHash: txHash,
    },
  });
  await tx.paymentTerms.update({
    where: { chainId_termsHash: { chainId, termsHash } },
    data: { payerSignature: signatures.consent ?? signatures.receive ?? null },
  });
}

/** Narrows text that this gateway itself stored as hex. */
function hex(text: string): Hex {
  if (/^0x[0-9a-f]*$/i.test(text)) return `0x${text.slice(2)}`;
  throw new Error('A stored signature is not hex.');
}
