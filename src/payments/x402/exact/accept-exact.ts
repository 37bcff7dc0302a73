import type { Decimal } from 'decimal.js';
import {
  type Database,
  type DatabaseTransaction,
  type ExactAuthorization,
  Prisma,
  transaction,
} from '../../../../prisma/client.ts';
import { appendEvents } from '../../../events/append-events.ts';
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/identifier.ts';
import { toDecimal } from '../../../prices/base-units.ts';
import { insertPaymentIntent } from '../../insert-payment-intent.ts';
import type { IntentSettings, NewPaymentIntent } from '../../new-payment-intent.ts';
import { paymentKeyOf } from './exact-authorization.ts';
import { sendTransfer } from './send-transfer.ts';
import { findAuthorization } from './store.ts';
import type { ExactRequest } from './verify-exact.ts';

/** The payment of a call of our own: its payment intent is created with it. */
export type OwnCall = { fields: NewPaymentIntent; exchangeRate: string };

/** A payment to another server, in USD; `fee` is billed and never deducted. A limit that would be exceeded refuses the payment. */
export type OtherServer = { valueUsd: Decimal; feeBps: number; paymentLimitUsd: Decimal; dailyLimitUsd: Decimal };

export type Acceptance = ExactRequest & {
  app: IntentSettings;
  purpose: string;
  resource: string | null;
  identifier: string | null;
  /** The block at which the nonce was unused. */
  headNumber: bigint;
  by: { kind: 'OWN'; call: OwnCall } | { kind: 'OTHER'; server: OtherServer };
};

export type Accepted = { authorization: ExactAuthorization } | { refusal: { reason: string; message: string } };

const DAY_MS = 86_400_000;
const BPS = 10_000n;
/** A payment that is not settled by then is looked at for its expiry, well after its authorization has expired. */
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
    // Concurrent requests for the same authorization, and for the same app's daily limit, follow one another.
    await lockName(tx, `exact ${token.chainId} ${paymentKey}`);
    const known = await findAuthorization(tx, { chainId: token.chainId, paymentKey });
    if (known) return { authorization: known };
    if (acceptance.by.kind === 'OTHER') return await acceptForOther(tx, world, { acceptance, paymentKey });
    const { fields, exchangeRate } = acceptance.by.call;
    const { app } = acceptance;
    const now = world.clock.now();
    const expiresAt = new Date(Number(signed.validBefore + BigInt(EXPIRY_GRACE_SECONDS)) * 1000);
    const { intent, created } = await insertPaymentIntent(tx, { app, fields, now, expiresAt });
    const columns = { paymentIntentId: intent.id, exchangeRate: new Prisma.Decimal(exchangeRate) };
    const authorization = await tx.exactAuthorization.create({
      data: { ...rowOf(acceptance, paymentKey), ...columns },
    });
    await sendTransfer(tx, authorization);
    await appendEvents(tx, app.id, [created]);
    return { authorization };
  });
}

type Accepting = { acceptance: Acceptance; paymentKey: string };

async function acceptForOther(
  tx: DatabaseTransaction,
  { clock }: { clock: Clock },
  { acceptance, paymentKey }: Accepting,
): Promise<Accepted> {
  const { by, app, signed } = acceptance;
  if (by.kind !== 'OTHER') throw new Error('The payment is for a call of our own.');
  const { valueUsd, feeBps, paymentLimitUsd, dailyLimitUsd } = by.server;
  if (valueUsd.gt(paymentLimitUsd)) {
    const message = `The payment is worth ${valueUsd.toFixed(2)} USD. The app settles at most ${paymentLimitUsd.toFixed(2)} USD at once for other servers.`;
    return { refusal: { reason: 'payment_limit_exceeded', message } };
  }
  await lockName(tx, `exact limit ${app.id}`);
  const since = new Date(clock.now().getTime() - DAY_MS);
  const spent = await tx.exactAuthorization.aggregate({
    where: { appId: app.id, paymentIntentId: null, createdAt: { gt: since }, status: { not: 'FAILED' } },
    _sum: { valueUsd: true },
  });
  const total = valueUsd.plus(spent._sum.valueUsd?.toFixed() ?? '0');
  if (total.gt(dailyLimitUsd)) {
    const message = `With this payment the app would settle ${total.toFixed(2)} USD for other servers within 24 hours. Its limit is ${dailyLimitUsd.toFixed(2)} USD.`;
    return { refusal: { reason: 'daily_limit_exceeded', message } };
  }
  const authorization = await tx.exactAuthorization.create({
    data: {
      ...rowOf(acceptance, paymentKey),
      valueUsd: new Prisma.Decimal(valueUsd.toFixed()),
      feeBps,
      feeAmount: toDecimal((signed.value * BigInt(feeBps) + BPS - 1n) / BPS),
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
async function lockName(tx: DatabaseTransaction, name: string): Promise<void> {
  await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))::text`;
}
