/**
 * What the middleware does with one call, whatever the framework. Nothing is served for a payment that has not been verified, for one that
 * has bought a response before, or while the gateway does not answer.
 */
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { type GatewayClient, isPending, type RequirementsRequest, type Settlement } from '../gateway/gateway-client.ts';
import { X402GatewayError } from '../gateway/gateway-error.ts';
import type { RequirementsCache } from '../gateway/requirements-cache.ts';
import { type Answer, inProgress, paymentRequired, pending, receiptHeaders, unavailable } from './answer.ts';
import { describeRoute, type Extensions } from './bazaar.ts';
import type { PaidCall } from './paid-call.ts';
import { type PayOptions, requirePrice, type UnservedPayment } from './pay-options.ts';
import type { PaymentClaims } from './payment-claims.ts';
import { isQuotedFor, paymentKey, readPayment } from './read-payment.ts';
import { type ResourceUrlOptions, resourceUrl } from './resource-url.ts';

export type Receipt = Omit<UnservedPayment, 'status'>;

/** A payment that has been settled, and the headers of the response that it buys. */
export type Settled = { isSettled: true; headers: Record<string, string>; receipt: Receipt };

export type Settling = Settled | { isSettled: false; answer: Answer };

export type Charge =
  /** Send the answer and do not run the handler. */
  | { outcome: 'refused'; answer: Answer }
  /** Run the handler; nothing is due. */
  | { outcome: 'free' }
  /** Run the handler and add the headers to its response. */
  | { outcome: 'settled'; settled: Settled; unserved(status: number | undefined): Promise<void> }
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

type Offer = { required: PaymentRequired; price: string; currency: string };

export async function chargeCall(world: ChargeWorld, request: ChargeRequest): Promise<Charge> {
  const { call, options } = request;
  const price = typeof options.price === 'function' ? await options.price(call) : options.price;
  if (price === null) return { outcome: 'free' };
  try {
    const offer = await makeOffer(world, request, requirePrice(price));
    const payment = 'payment' in request ? request.payment : paymentOf(call);
    if (payment === undefined) return refuse(offer, 'payment_required');
    if (payment === 'invalid') return refuse(offer, 'invalid_payload');
    const wanted = { resource: offer.required.resource.url, price: offer.price, currency: offer.currency };
    if (!isQuotedFor(payment.accepted, wanted)) return refuse(offer, 'invalid_payment_requirements');
    return await takePayment(world, { payment, offer, options });
  } catch (error) {
    if (!(error instanceof X402GatewayError)) throw error;
    world.onError(error);
    return { outcome: 'refused', answer: unavailable() };
  }
}

function paymentOf(call: PaidCall): PaymentPayload | 'invalid' | undefined {
  const header = call.header('payment-signature');
  return header === undefined || header === '' ? undefined : (readPayment(header) ?? 'invalid');
}

async function makeOffer(world: ChargeWorld, request: ChargeRequest, price: string): Promise<Offer> {
  const { call, options } = request;
  const { description, mimeType, currency = 'USD', schemes, networks, maxTimeoutSeconds, discovery } = options;
  const named = typeof options.resource === 'function' ? options.resource(call) : options.resource;
  const resource = {
    url: named ?? resourceUrl(call, world.urls),
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
  const accepts = await world.requirements(wanted);
  const extensions = request.extensions ?? (discovery === false ? {} : describeRoute(call, discovery ?? {}));
  const required = {
    x402Version: 2,
    resource,
    accepts,
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
  };
  return { required, price, currency };
}

type Taking = { payment: PaymentPayload; offer: Offer; options: PayOptions };

async function takePayment(world: ChargeWorld, taking: Taking): Promise<Charge> {
  const { payment, offer, options } = taking;
  const key = paymentKey(payment);
  const claim = world.claims.begin(key);
  if (claim === 'in_progress') return { outcome: 'refused', answer: inProgress() };
  try {
    // What was submitted before is settled or not, whatever a verification would say now. Anything else is verified even if it is settled
    // at once: a settlement that is repeated because a response was lost could not recognize a payment that has bought a response before.
    if (claim !== 'resumed') {
      const verified = await world.gateway.verify(payment);
      if (!verified.isValid) {
        world.claims.end(key);
        return refuse(offer, verified.invalidReason ?? 'invalid_payment');
      }
    }
    if (options.settle === 'before' || claim === 'resumed') {
      const settling = await settlePayment(world, { ...taking, key });
      if (!settling.isSettled) return { outcome: 'refused', answer: settling.answer };
      return settledCharge(world, settling, options);
    }
  } catch (error) {
    world.claims.end(key);
    throw error;
  }
  return {
    outcome: 'verified',
    settle: () => settlePayment(world, { ...taking, key }),
    abandon: () => world.claims.end(key),
  };
}

function settledCharge(world: ChargeWorld, settled: Settled, options: PayOptions): Charge {
  return {
    outcome: 'settled',
    settled,
    unserved: async (status) => {
      try {
        await options.onUnserved?.({ ...settled.receipt, status });
      } catch (error) {
        world.onError(error);
      }
    },
  };
}

/** Resolves in every case. After it, either the payment has bought this response, or this response must not be sent. */
async function settlePayment(world: ChargeWorld, { payment, offer, key }: Taking & { key: string }): Promise<Settling> {
  let settlement: Settlement;
  try {
    settlement = await world.gateway.settle(payment);
  } catch (error) {
    world.claims.suspend(key);
    world.onError(error);
    return { isSettled: false, answer: pending() };
  }
  if (isPending(settlement)) {
    world.claims.suspend(key);
    return { isSettled: false, answer: pending() };
  }
  world.claims.end(key);
  if (!settlement.success) {
    const answer = paymentRequired(
      { ...offer.required, error: settlement.errorReason ?? 'settlement_failed' },
      settlement,
    );
    return { isSettled: false, answer };
  }
  if (settlement.replayed) {
    return { isSettled: false, answer: paymentRequired({ ...offer.required, error: 'authorization_used' }) };
  }
  const { paymentIntentId, payer, transaction } = settlement;
  const receipt = { paymentIntentId, payer, transaction, scheme: payment.accepted.scheme };
  return { isSettled: true, headers: receiptHeaders(settlement), receipt };
}

function refuse(offer: Offer, error: string): Charge {
  return { outcome: 'refused', answer: paymentRequired({ ...offer.required, error }) };
}
