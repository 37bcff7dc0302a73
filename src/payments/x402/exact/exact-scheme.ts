import { isAddress } from 'viem';
import { z } from 'zod';
import type { SignedAuthorization } from '../../../chains/evm/transfer-authorization.ts';
import { relayMinimum } from '../../../checkout/list-checkout-options.ts';
import { canonicalJson, requestIdOf } from '../requirement-quote.ts';
import { readUnderWay, underWayFault } from '../under-way.ts';
import {
  invalidAnswer,
  isSameAttempt,
  type Refusal,
  refusedSettlement,
  type SettleAnswer,
  signedAuthorizationSchema,
  validAnswer,
} from '../x402-types.ts';
import type { EvaluatedPayment, SchemeRules, X402World } from '../x402-world.ts';
import { hex, purposeOf } from './exact-authorization.ts';
import { limitFault, otherServer } from './other-server.ts';
import { type ExactSettling, findExact, isSameRequest, settleExact } from './settle-exact.ts';
import { verifyExact } from './verify-exact.ts';

type Read =
  | { request: Omit<ExactSettling, 'by' | 'attemptId' | 'waitMs'>; refusal: null }
  | { request: null; refusal: Refusal };

/** EIP-3009 `transferWithAuthorization` directly to the merchant's own address. It can be neither refunded nor disputed. */
export const exactScheme: SchemeRules = {
  async isTaken(world, evaluated) {
    const { request } = readExact(evaluated);
    if (!request) return false;
    const taken = await findExact(world.database, request);
    return taken !== null && isSameRequest(taken, request);
  },

  async verify(world, evaluated) {
    const { request, refusal } = readExact(evaluated);
    if (refusal) return invalidAnswer(refusal);
    const payer = request.signed.from;
    const taken = await findExact(world.database, request);
    if (taken) {
      const isOpen = taken.answeredAt === null || isSameAttempt(taken.answeredTo, evaluated.attemptId);
      if (isOpen && isSameRequest(taken, request)) return validAnswer(payer);
      const message = 'This authorization has paid for a call already.';
      return invalidAnswer({ reason: 'invalid_exact_evm_nonce_already_used', message, payer });
    }
    const fault = (await othersFault(world, evaluated)) ?? (await newPaymentFault(world, request));
    return fault ? invalidAnswer({ ...fault, payer }) : validAnswer(payer);
  },

  async settle(world, evaluated) {
    const { network, amount } = evaluated.requirements;
    const { request, refusal } = readExact(evaluated);
    if (refusal) return refusedSettlement(network, refusal);
    const by = await payerOf(world, evaluated);
    const { reason, message, ...outcome } = await settleExact(world, {
      ...request,
      by,
      attemptId: evaluated.attemptId,
      waitMs: evaluated.waitMs,
    });
    const answer: SettleAnswer = {
      ...outcome,
      network,
      payer: request.signed.from,
      amount: outcome.success ? amount : null,
      errorReason: reason,
      errorMessage: message,
    };
    return answer;
  },
};

/** Parses the payload and what it is presented for. */
function readExact(evaluated: EvaluatedPayment): Read {
  const { app, token, requirements, payment, claims } = evaluated;
  const parsed = signedAuthorizationSchema.safeParse(payment.payload);
  if (!parsed.success) {
    const message = `The payload is no ERC-3009 authorization: ${z.prettifyError(parsed.error)}`;
    return { request: null, refusal: { reason: 'invalid_payload', message } };
  }
  const { authorization, signature } = parsed.data;
  if (!isAddress(requirements.payTo, { strict: false })) {
    const message = `payTo ${requirements.payTo} is not an address.`;
    return { request: null, refusal: { reason: 'invalid_payment_requirements', message } };
  }
  const resource = claims?.resource ?? payment.resource?.url ?? null;
  const requestId = requestIdOf(requirements);
  const purpose = purposeOf({
    resource: resource ?? '',
    requirements: claims ? claims.id : canonicalJson(requirements),
    ...(claims && requestId !== null ? { requestId } : {}),
  });
  const signed: SignedAuthorization = authorization;
  const identifier = identifierOf(evaluated);
  const request = {
    ...{ app, token, signed, signature, purpose, resource, identifier },
    payTo: hex(requirements.payTo),
    amount: BigInt(requirements.amount),
    x402: { resource: resource ?? '', scheme: 'exact', network: requirements.network },
  };
  return { request, refusal: null };
}

const identifierShape = z.object({ info: z.object({ id: z.string().min(1).max(256) }) });

/** The id that the client gave with the extension `payment-identifier`. */
function identifierOf({ payment }: EvaluatedPayment): string | null {
  return identifierShape.safeParse(payment.extensions?.['payment-identifier']).data?.info.id ?? null;
}

async function payerOf(
  world: X402World,
  { claims, app, chain, token, requirements }: EvaluatedPayment,
): Promise<ExactSettling['by']> {
  if (claims === null) {
    const amount = BigInt(requirements.amount);
    const minimumUsd = relayMinimum(world, chain.chainId);
    return { kind: 'OTHER', server: await otherServer(world, { app, token, amount, minimumUsd }) };
  }
  const { price: amount, currency, exchangeRate, evidence } = claims;
  return { kind: 'OWN', call: { fields: { amount, currency }, exchangeRate, evidence } };
}

async function othersFault(world: X402World, evaluated: EvaluatedPayment): Promise<Refusal | null> {
  const by = evaluated.claims === null ? await payerOf(world, evaluated) : null;
  if (by?.kind !== 'OTHER') return null;
  return await limitFault(world.database, { appId: evaluated.app.id, server: by.server, now: world.clock.now() });
}

async function newPaymentFault(world: X402World, request: NonNullable<Read['request']>): Promise<Refusal | null> {
  const { token, signed } = request;
  const underWay = await readUnderWay(world.database, {
    chainId: token.chainId,
    tokenKey: token.key,
    payer: signed.from,
  });
  const busy = underWayFault(underWay, signed.from);
  if (busy) return busy;
  const verdict = await verifyExact(world, { ...request, reserved: underWay.amount });
  return verdict.isValid ? null : { reason: verdict.reason, message: verdict.message };
}
