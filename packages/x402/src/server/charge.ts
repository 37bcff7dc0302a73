/**
 * What the middleware does with one call, regardless of the framework. Nothing is served for a payment that has not been verified, for one
 * that has bought a response before, or while the gateway does not answer.
 */
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { type GatewayClient, isPending, type RequirementsRequest, type Settlement } from '../gateway/gateway-client.ts';
import { X402GatewayError } from '../gateway/gateway-error.ts';
import type { RequirementsCache } from '../gateway/requirements-cache.ts';
import {
  type Answer,
  badAddress,
  inProgress,
  paymentDelayed,
  paymentRequired,
  pending,
  receiptHeaders,
  unavailable,
} from './answer.ts';
import { describeRoute, type Extensions } from './bazaar.ts';
import { compareCalls } from './compare-calls.ts';
import type { PaidCall } from './paid-call.ts';
import { type PayOptions, requirePrice, type UnservedPayment } from './pay-options.ts';
import type { Attempt, PaymentClaims } from './payment-claims.ts';
import { isQuotedFor, paymentKey, readPayment, requestIdOf } from './read-payment.ts';
import { type ResourceUrlOptions, resourceUrl } from './resource-url.ts';

export type Receipt = Omit<UnservedPayment, 'status' | 'isBegun'>;

/** A payment that has been settled, and the headers of the response that it buys. */
export type Settled = {
  isSettled: true;
  headers: Record<string, string>;
  receipt: Receipt;
  /** Call it instead of sending the response if the client has left and nothing was sent: it may send the same payment again. */
  unsent(): Promise<void>;
};

export type Settling = Settled | { isSettled: false; answer: Answer };

export type Charge =
  /** Send the answer and do not run the handler. */
  | { outcome: 'refused'; answer: Answer }
  /** Run the handler; nothing is due. */
  | { outcome: 'free' }
  /**
   * Run the handler and add the headers to its response. `unserved`: the status was 400 or above, or the response was not received whole.
   * `isBegun`, which defaults to true: whether any of the response was sent.
   */
  | { outcome: 'settled'; settled: Settled; unserved(status: number | undefined, isBegun?: boolean): Promise<void> }
  /** Run the handler, hold its response back, and either settle or abandon the payment. */
  | { outcome: 'verified'; settle(): Promise<Settling>; abandon(): void };

export type ChargeWorld = {
  gateway: GatewayClient;
  requirements: RequirementsCache;
  claims: PaymentClaims;
  urls: ResourceUrlOptions;
  onError(error: unknown): void;
};

/** `payment` is what the client has sent, if anything; by default it is read from the PAYMENT-SIGNATURE header. */
export type ChargeRequest = {
  call: PaidCall;
  options: PayOptions;
  extensions?: Extensions;
  payment?: PaymentPayload | 'invalid' | undefined;
};

/** The maximum URL length for which the gateway issues a quote. */
const LONGEST_URL = 1_024;

export async function chargeCall(world: ChargeWorld, request: ChargeRequest): Promise<Charge> {
  const { call, options } = request;
  const price = typeof options.price === 'function' ? await options.price(call) : options.price;
  if (price === null) return { outcome: 'free' };
  const url = resourceOf(world, request);
  if (url.length > LONGEST_URL) return { outcome: 'refused', answer: badAddress() };
  const payment = 'payment' in request ? request.payment : paymentOf(call);
  try {
    return await chargePriced(world, { ...request, url, price: requirePrice(price), payment });
  } catch (error) {
    reportFault(world, error);
    const isPayment = payment !== undefined && payment !== 'invalid';
    return { outcome: 'refused', answer: isPayment ? paymentDelayed() : unavailable() };
  }
}

/** Throws on what is not a failure of the gateway. */
function reportFault({ onError }: ChargeWorld, error: unknown): void {
  if (!(error instanceof X402GatewayError)) throw error;
  if (!error.isSilent) onError(error);
}

async function chargePriced(world: ChargeWorld, request: Priced): Promise<Charge> {
  const { call, options, url, price, payment } = request;
  let made: Promise<PaymentRequired> | undefined;
  const offer = () => {
    made ??= makeOffer(world, request);
    return made;
  };
  const isPayment = payment !== undefined && payment !== 'invalid';
  const known = isPayment ? world.claims.find(paymentKey(payment), requestIdOf(payment)) : undefined;
  // A payment that was submitted before gets its outcome also while the gateway makes no offers.
  if (!known) await offer();
  if (payment === undefined) return refuse(await offer(), 'payment_required');
  if (payment === 'invalid') return refuse(await offer(), 'invalid_payload');
  const { currency = 'USD', schemes, networks } = options;
  if (!isQuotedFor(payment.accepted, { resource: url, price, currency, schemes, networks })) {
    const fit = known ? await compareCalls(known, { payment, options, url, price }) : 'other';
    if (fit === 'unknown') return { outcome: 'refused', answer: pending() };
    if (fit === 'other') return refuse(await offer(), 'invalid_payment_requirements');
  }
  return await takePayment(world, { payment, offer, options, url, call });
}

function resourceOf({ urls }: ChargeWorld, { call, options }: ChargeRequest): string {
  const named = typeof options.resource === 'function' ? options.resource(call) : options.resource;
  return named ?? resourceUrl(call, urls);
}

function paymentOf(call: PaidCall): PaymentPayload | 'invalid' | undefined {
  const header = call.header('payment-signature');
  return header === undefined || header === '' ? undefined : (readPayment(header) ?? 'invalid');
}

type Priced = ChargeRequest & { url: string; price: string; payment: PaymentPayload | 'invalid' | undefined };

async function makeOffer(world: ChargeWorld, { price, url, ...request }: Priced): Promise<PaymentRequired> {
  const { options } = request;
  const { description, mimeType, currency = 'USD', schemes, networks, maxTimeoutSeconds, discovery } = options;
  const resource = {
    url,
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
  };
  const wanted: RequirementsRequest = {
    price,
    currency,
    resource,
    ...(schemes ? { schemes } : {}),
    ...(networks ? { networks } : {}),
    ...(maxTimeoutSeconds === undefined ? {} : { maxTimeoutSeconds }),
  };
  const accepts = withRequestId(await world.requirements.get(wanted));
  const extensions = request.extensions ?? (discovery === false ? {} : describeRoute(request.call, discovery ?? {}));
  return {
    x402Version: 2,
    resource,
    accepts,
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
  };
}

/** Makes what a client accepts its own: see `requestIdOf`. The gateway ignores the id in what it has quoted. */
function withRequestId(accepts: PaymentRequirements[]): PaymentRequirements[] {
  const requestId = crypto.randomUUID();
  return accepts.map((one) => ({ ...one, extra: { ...one.extra, requestId } }));
}

type Taking = {
  payment: PaymentPayload;
  offer(): Promise<PaymentRequired>;
  options: PayOptions;
  url: string;
  call: PaidCall;
};

async function takePayment(world: ChargeWorld, taking: Taking): Promise<Charge> {
  const { payment, offer, options, url, call } = taking;
  const key = paymentKey(payment);
  const accepted = { options, call: typeof options.price === 'function' ? call : undefined };
  const claim = world.claims.begin(key, requestIdOf(payment), accepted);
  if (claim.state === 'in_progress') return { outcome: 'refused', answer: inProgress() };
  if (claim.state === 'of_another') return refuse(await offer(), 'authorization_used');
  const { attempt } = claim;
  const isRepeated = claim.state === 'resumed';
  try {
    // A payment that was submitted before is settled or not, regardless of the result of a verification now.
    if (!isRepeated) {
      const verified = await world.gateway.verify(payment);
      if (!verified.isValid) {
        world.claims.end(key);
        return refuse(await offer(), verified.invalidReason ?? 'invalid_payment');
      }
      world.requirements.trust(url);
    }
    if (options.settle === 'before' || isRepeated) {
      const settling = await settlePayment(world, { ...taking, key, attempt, isRepeated });
      if (!settling.isSettled) return { outcome: 'refused', answer: settling.answer };
      return settledCharge(world, { settled: settling, options, retry: () => world.claims.suspend(key, attempt) });
    }
  } catch (error) {
    world.claims.end(key);
    throw error;
  }
  return {
    outcome: 'verified',
    settle: () => settlePayment(world, { ...taking, key, attempt, isRepeated: false }),
    abandon: () => world.claims.end(key),
  };
}

function settledCharge(
  world: ChargeWorld,
  { settled, options, retry }: { settled: Settled; options: PayOptions; retry(): void },
): Charge {
  return {
    outcome: 'settled',
    settled,
    unserved: async (status, isBegun = true) => {
      if (options.onUnserved) await reportUnserved(world, options, { ...settled.receipt, status, isBegun });
      // The route promises that a failed call costs nothing, and this call is already paid.
      else if (options.settle !== 'before' && status !== undefined) retry();
    },
  };
}

async function reportUnserved({ onError }: ChargeWorld, options: PayOptions, payment: UnservedPayment): Promise<void> {
  try {
    await options.onUnserved?.(payment);
  } catch (error) {
    onError(error);
  }
}

/** `isRepeated`: an earlier request may have submitted the payment. */
type Submission = Taking & { key: string; attempt: Attempt; isRepeated: boolean };

/** Resolves in every case. After it, either the payment has bought this response, or this response must not be sent. */
async function settlePayment(
  world: ChargeWorld,
  { payment, offer, options, key, attempt, isRepeated }: Submission,
): Promise<Settling> {
  let settlement: Settlement;
  try {
    settlement = await world.gateway.settle(payment, { attemptId: attempt.attemptId, isRepeated });
  } catch (error) {
    world.claims.suspend(key, attempt);
    world.onError(error);
    return { isSettled: false, answer: pending() };
  }
  if (isPending(settlement)) {
    world.claims.suspend(key, attempt);
    return { isSettled: false, answer: pending() };
  }
  world.claims.end(key);
  if (!settlement.success || settlement.replayed) {
    return { isSettled: false, answer: await refuseSettlement(world, { settlement, offer }) };
  }
  const { paymentIntentId, payer, transaction } = settlement;
  const receipt = { paymentIntentId, payer, transaction, scheme: payment.accepted.scheme };
  const unsent = async () => {
    if (options.onUnserved) await reportUnserved(world, options, { ...receipt, status: undefined, isBegun: false });
    else world.claims.suspend(key, attempt);
  };
  return { isSettled: true, headers: receiptHeaders(settlement), receipt, unsent };
}

/** The payment did not buy this response, and can buy no other one. */
async function refuseSettlement(
  world: ChargeWorld,
  { settlement, offer }: { settlement: Settlement; offer: Taking['offer'] },
): Promise<Answer> {
  try {
    const required = await offer();
    if (settlement.success) return paymentRequired({ ...required, error: 'authorization_used' });
    return paymentRequired({ ...required, error: settlement.errorReason ?? 'settlement_failed' }, settlement);
  } catch (error) {
    reportFault(world, error);
    return unavailable();
  }
}

function refuse(required: PaymentRequired, error: string): Charge {
  return { outcome: 'refused', answer: paymentRequired({ ...required, error }) };
}
