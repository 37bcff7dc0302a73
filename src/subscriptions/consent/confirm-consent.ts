import type { Hex } from 'viem';
import type { DatabaseTransaction, SubscriptionConsent } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';
import { permitData } from '../../chains/evm/erc20.ts';
import { canonicalSignature, isSignedByKey, isSignedOnChain } from '../../chains/evm/signature.ts';
import { signedDigest } from '../../checkout/authorization-plan.ts';
import type { SessionWithItems } from '../../checkout/checkout-session.ts';
import type { CheckoutWorld } from '../../checkout/checkout-world.ts';
import type { ConfirmInput } from '../../checkout/confirm-checkout.ts';
import { requireUnpaid } from '../../checkout/require-payable.ts';
import {
  inOrder,
  lockPaymentIntent,
  lockWallet,
  relayUnderWay,
  requireSession,
  type SessionToPay,
} from '../../checkout/store.ts';
import { type FieldFault, GatewayError, invalid, notFound } from '../../errors.ts';
import { consentFromJson } from '../../escrow/consent.ts';
import { termsFromJson } from '../../escrow/terms.ts';
import { enqueueTransaction } from '../../operator/enqueue-transaction.ts';
import { RELAY_SENDER } from '../../operator/relay.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { hexOf, placeOf } from '../charge/prepare-charge.ts';
import { sendCharge } from '../charge/queue-charge.ts';
import { lockSubscription } from '../store.ts';
import { consentKey } from './accepted-consent.ts';
import { type AskedConsent, askedConsentSignatures, type ConsentSignatures } from './consent-steps.ts';
import { permitOf, requireSignable } from './prepare-consent.ts';
import { replaceConsent, requireFunds } from './replace-consent.ts';
import { startTrial } from './start-trial.ts';

/** Approval and permit may not be mined yet when the first charge is attempted: it is retried for about two minutes. */
const FIRST_CHARGE_ATTEMPTS = 8;

type ConfirmWorld = Pick<CheckoutWorld, 'database' | 'clock' | 'registry' | 'nodes' | 'operator' | 'config'>;

/**
 * Confirms a SUBSCRIPTION session with the payer's signatures, which are verified and stored. A permit is sent to its token,
 * followed by the first charge, with a PENDING AUTHORIZE row. With a trial the subscription is ACTIVE at once and the session
 * COMPLETE: `subscription.activated`, `checkout_session.completed`. In a session that replaces a consent, the new one takes effect at
 * once, and an open invoice is charged under it. Confirming again changes nothing.
 *
 * Throws NOT_FOUND, VALIDATION_ERROR for a missing or wrong signature (the session stays OPEN), QUOTE_EXPIRED, INVALID_STATE,
 * EXPIRED, CONFLICT while a relayed payment of the wallet is pending or if the wallet of a renewed consent cannot pay, and CHAIN_UNAVAILABLE if a signature is not of an account's
 * own key and no node can check whether it is a contract's signature.
 */
export async function confirmConsent(
  world: ConfirmWorld,
  request: { scope: Scope; sessionId: string; input: ConfirmInput; idempotency?: IdempotencyRequest | undefined },
): Promise<SessionWithItems> {
  return await idempotently(world.database, request.idempotency, async (write) => {
    const session = await requireSession(world.database, { scope: request.scope, id: request.sessionId });
    const row = await findConsent(world, session, request.input.quoteId);
    if (row.signedAt !== null || session.status === 'COMPLETE') return session;
    requireInTime(session, row, world.clock.now());
    const asked = askedConsent(world, row);
    const signatures = await requireSignatures(world, { asked, given: request.input.signatures ?? {} });
    if (session.renewsConsent) await requireFunds(world, row);
    return await write(async (tx) => {
      const subscription = await lockSubscription(tx, row.subscriptionId);
      await lockWallet(tx, { chainId: row.chainId, address: row.walletAddress });
      const fresh = await tx.subscriptionConsent.findUniqueOrThrow({ where: consentKey(row) });
      const read = () => tx.checkoutSession.findUniqueOrThrow({ where: { id: session.id }, include: inOrder });
      if (fresh.signedAt !== null) return await read();
      requireSignable(session, subscription);
      const now = world.clock.now();
      const signed = await tx.subscriptionConsent.update({
        where: consentKey(row),
        data: { payerSignature: signatures.consent, permitSignature: signatures.permit, signedAt: now },
      });
      await tx.checkoutSession.update({
        where: { id: session.id },
        data: { lastErrorCode: null, lastErrorMessage: null },
      });
      if (session.renewsConsent) {
        await sendPermit(tx, { row: signed, asked });
        await replaceConsent(tx, { row: signed, subscription, sessionId: session.id, now, config: world.config });
      } else if (session.paymentIntentId === null) {
        await sendPermit(tx, { row: signed, asked });
        await startTrial(tx, { row: signed, subscription, sessionId: session.id, now, config: world.config });
      } else {
        await requireFree(tx, { row, paymentIntentId: session.paymentIntentId });
        await sendPermit(tx, { row: signed, asked });
        await sendFirstCharge(tx, { row: signed, asked, now });
      }
      return await read();
    });
  });
}

async function findConsent(
  world: ConfirmWorld,
  session: SessionToPay,
  quoteId: string | null | undefined,
): Promise<SubscriptionConsent> {
  const row = await world.database.subscriptionConsent.findFirst({
    where: { sessionId: session.id, ...(quoteId ? { quoteId } : {}) },
    orderBy: { quoteId: 'desc' },
  });
  if (row) return row;
  if (quoteId) throw notFound('quote', 'quoteId');
  throw new GatewayError('INVALID_STATE', 'Nothing has been prepared for this checkout session.');
}

/** A quote can be confirmed until its own expiry, which may be slightly after its session's. */
function requireInTime(session: SessionToPay, row: SubscriptionConsent, now: Date): void {
  if (session.status === 'EXPIRED') throw new GatewayError('EXPIRED', 'The checkout session has expired.');
  if (session.paymentIntent) requireUnpaid(session.paymentIntent);
  if (row.quoteExpiresAt > now) return;
  throw new GatewayError(
    'QUOTE_EXPIRED',
    `The quote expired at ${row.quoteExpiresAt.toISOString()}. Prepare the checkout again.`,
    {
      meta: { quoteId: row.quoteId },
    },
  );
}

function askedConsent(world: Pick<ConfirmWorld, 'registry'>, row: SubscriptionConsent): AskedConsent {
  const place = placeOf(world.registry, row);
  return { ...place, chainId: row.chainId, consent: consentFromJson(row.consent), permit: permitOf(row) };
}

/** All requested signatures, in canonical form. A permit must be signed by an account's own key, as EIP-2612 requires. */
async function requireSignatures(
  world: Pick<ConfirmWorld, 'nodes'>,
  { asked, given }: { asked: AskedConsent; given: NonNullable<ConfirmInput['signatures']> },
): Promise<ConsentSignatures> {
  const good: { permit?: Hex; consent?: Hex } = {};
  const faults: FieldFault[] = [];
  for (const { name, typedData } of askedConsentSignatures(asked)) {
    const param = `signatures.${name}`;
    const text = given[name];
    if (!text) {
      faults.push({ param, message: 'is required for this quote' });
      continue;
    }
    const signature = canonicalSignature(text);
    const question = { signer: asked.consent.payer, digest: signedDigest(typedData), signature };
    const isByKey = await isSignedByKey(question);
    const isTaken =
      isByKey || (await world.nodes.asking(asked.chainId, (client) => isSignedOnChain({ client }, question)));
    if (isByKey || (isTaken && name === 'consent')) good[name] = signature;
    else if (isTaken)
      faults.push({
        param,
        message:
          'is the signature of a contract wallet, but the token accepts permits of keys only; prepare again with APPROVAL',
      });
    else faults.push({ param, message: `is not ${asked.consent.payer}'s signature of the typed data` });
  }
  if (faults.length > 0 || !good.consent) throw invalid(faults);
  return { consent: good.consent, permit: good.permit ?? null };
}

/** At most one relayed payment of a wallet may be pending: two would compete for one allowance. */
async function requireFree(
  tx: DatabaseTransaction,
  { row, paymentIntentId }: { row: SubscriptionConsent; paymentIntentId: string },
): Promise<void> {
  await lockPaymentIntent(tx, paymentIntentId);
  const underWay = await relayUnderWay(tx, { chainId: row.chainId, address: row.walletAddress });
  if (underWay === undefined) return;
  throw new GatewayError('CONFLICT', 'A payment of this wallet is pending on this chain. Wait for it.', {
    meta: { paymentIntentId: underWay },
  });
}

/**
 * Queues the permit as a transaction from the operator to the token. If another sender submits the permit first, the allowance is granted
 * as well.
 */
async function sendPermit(
  tx: DatabaseTransaction,
  { row, asked }: { row: SubscriptionConsent; asked: AskedConsent },
): Promise<void> {
  if (asked.permit === null || row.permitSignature === null) return;
  await enqueueTransaction(tx, {
    chainId: row.chainId,
    sender: RELAY_SENDER,
    to: asked.consent.token,
    data: permitData({
      owner: asked.consent.payer,
      spender: asked.escrow,
      ...asked.permit,
      signature: hexOf(row.permitSignature),
    }),
    purpose: permitPurpose(row),
  });
}

/** The outgoing transaction's purpose, which allows one permit per consent. */
function permitPurpose({ chainId, consentId }: SubscriptionConsent): string {
  return `permit:${chainId}:${consentId}`;
}

async function sendFirstCharge(
  tx: DatabaseTransaction,
  { row, asked, now }: { row: SubscriptionConsent; asked: AskedConsent; now: Date },
): Promise<void> {
  const { chainId, termsHash } = await tx.quote.update({
    where: { id: row.quoteId },
    data: { confirmedAt: now, signature: row.permitSignature },
    select: { chainId: true, termsHash: true },
  });
  const terms = await tx.paymentTerms.update({
    where: { chainId_termsHash: { chainId, termsHash } },
    data: { payerSignature: row.payerSignature },
  });
  await sendCharge(tx, {
    ...asked,
    paymentIntentId: terms.paymentIntentId,
    periodIndex: 0,
    terms: termsFromJson(terms.terms),
    termsHash,
    operatorSignature: hexOf(terms.operatorSignature),
    consentSignature: hexOf(row.payerSignature ?? ''),
    maxFailures: FIRST_CHARGE_ATTEMPTS,
  });
}
