import {
  type Database,
  type DatabaseTransaction,
  type ExactAuthorization,
  Prisma,
  transaction,
} from '../../../../prisma/client.ts';
import { lockWallet } from '../../../checkout/store.ts';
import { appendEvents } from '../../../events/append-events.ts';
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/identifier.ts';
import { toDecimal } from '../../../prices/base-units.ts';
import type { PriceEvidence } from '../../../prices/price-evidence.ts';
import { insertPaymentIntent } from '../../insert-payment-intent.ts';
import type { IntentSettings, NewPaymentIntent, PaidCall } from '../../new-payment-intent.ts';
import { expiryFault } from '../requirement-quote.ts';
import { readUnderWay, underWayFault } from '../under-way.ts';
import type { Refusal } from '../x402-types.ts';
import { paymentKeyOf } from './exact-authorization.ts';
import { billedFee, limitFault, type OtherServer } from './other-server.ts';
import { revertedFault } from './reverted-transfers.ts';
import { sendTransfer } from './send-transfer.ts';
import { findAuthorization } from './store.ts';
import { balanceFault, type ExactRequest } from './verify-exact.ts';

/** The payment of a call to the merchant's own server. Its payment intent is created with it. */
export type OwnCall = {
  fields: NewPaymentIntent;
  exchangeRate: string;
  evidence: PriceEvidence;
  /** The latest time at which a payment for the quote is taken. */
  takenUntil: Date | null;
};

export type Acceptance = ExactRequest & {
  /** The intent's description of the call. Unused for another server. */
  x402: PaidCall;
  app: IntentSettings;
  purpose: string;
  resource: string | null;
  identifier: string | null;
  /** The block at which the nonce was unused. */
  headNumber: bigint;
  /** The payer's balance at that block, in base units. */
  balance: bigint;
  by: { kind: 'OWN'; call: OwnCall } | { kind: 'OTHER'; server: OtherServer };
};

export type Accepted = { authorization: ExactAuthorization } | { refusal: { reason: string; message: string } };

/** A payment that is not settled by then is checked for its expiry, well after its authorization has expired. */
const EXPIRY_GRACE_SECONDS = 3_600;

/**
 * Accepts a verified authorization: writes it, its payment intent with `payment_intent.created`, and its transfer in the queue, in one
 * transaction. The same authorization is accepted once; for one that was accepted before, returns its row and writes nothing.
 */
export async function acceptExact(
  world: { database: Database; clock: Clock },
  acceptance: Acceptance,
): Promise<Accepted> {
  const { token, signed } = acceptance;
  const key = { token: token.address, payer: signed.from, nonce: signed.nonce };
  const paymentKey = paymentKeyOf(key);
  return await transaction(world.database, async (tx) => {
    // Concurrent requests of the same wallet, and for the same app's daily limit, follow one another.
    await lockWallet(tx, { chainId: token.chainId, address: signed.from });
    const known = await findAuthorization(tx, { chainId: token.chainId, paymentKey });
    if (known) return { authorization: known };
    const now = world.clock.now();
    const refusal = await walletFault(tx, { acceptance, now });
    if (refusal) return { refusal };
    if (acceptance.by.kind === 'OTHER') return await acceptForOther(tx, { acceptance, paymentKey, now });
    const { fields, exchangeRate, evidence, takenUntil } = acceptance.by.call;
    const late = expiryFault(takenUntil, now);
    if (late) return { refusal: late };
    const { app, x402 } = acceptance;
    const expiresAt = new Date(Number(signed.validBefore + BigInt(EXPIRY_GRACE_SECONDS)) * 1000);
    const { intent, created } = await insertPaymentIntent(tx, { app, fields, now, expiresAt, x402 });
    const columns = { paymentIntentId: intent.id, exchangeRate: new Prisma.Decimal(exchangeRate), evidence };
    const authorization = await tx.exactAuthorization.create({
      data: { ...rowOf(acceptance, paymentKey), ...columns },
    });
    await sendTransfer(tx, authorization);
    await appendEvents(tx, app.id, [created]);
    return { authorization };
  });
}

/** Why the wallet cannot pay beside its other payments, some of which may have been accepted since it was verified. */
async function walletFault(
  tx: DatabaseTransaction,
  { acceptance, now }: { acceptance: Acceptance; now: Date },
): Promise<Refusal | null> {
  const { token, signed, amount, balance, reserved } = acceptance;
  const { chainId } = token;
  const underWay = await readUnderWay(tx, { chainId, tokenKey: token.key, payer: signed.from });
  const payable = { balance, amount };
  return (
    underWayFault(underWay, signed.from) ??
    (await revertedFault(tx, { chainId, payer: signed.from, now })) ??
    balanceFault({ ...payable, reserved }) ??
    balanceFault({ ...payable, reserved: underWay.amount })
  );
}

type Accepting = { acceptance: Acceptance; paymentKey: string; now: Date };

async function acceptForOther(tx: DatabaseTransaction, { acceptance, paymentKey, now }: Accepting): Promise<Accepted> {
  const { by, app, signed } = acceptance;
  if (by.kind !== 'OTHER') throw new Error('The payment is for a call of our own.');
  const { server } = by;
  const { valueUsd, feeBps } = server;
  await lockApp(tx, app.id);
  const refusal = await limitFault(tx, { appId: app.id, server, now });
  if (refusal) return { refusal };
  const authorization = await tx.exactAuthorization.create({
    data: {
      ...rowOf(acceptance, paymentKey),
      valueUsd: new Prisma.Decimal(valueUsd.toFixed()),
      feeBps,
      feeAmount: toDecimal(billedFee(signed.value, feeBps)),
    },
  });
  await sendTransfer(tx, authorization);
  return { authorization };
}

function rowOf(acceptance: Acceptance, paymentKey: string) {
  const { app, token, signed, signature, purpose, resource, identifier, headNumber } = acceptance;
  return {
    id: newId(),
    appId: app.id,
    chainId: token.chainId,
    tokenKey: token.key,
    token: token.address.toLowerCase(),
    payer: signed.from.toLowerCase(),
    payTo: signed.to.toLowerCase(),
    amount: toDecimal(signed.value),
    validAfter: signed.validAfter,
    validBefore: signed.validBefore,
    nonce: signed.nonce.toLowerCase(),
    signature,
    paymentKey,
    purpose,
    resource,
    identifier,
    fromNumber: headNumber,
  };
}

/** Held until the transaction ends. */
async function lockApp(tx: DatabaseTransaction, appId: string): Promise<void> {
  const name = `exact limit ${appId}`;
  await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))::text`;
}
