import { isAddress } from 'viem';
import { z } from 'zod';
import type { ExactAuthorization } from '../../../../prisma/client.ts';
import type { SignedAuthorization } from '../../../chains/evm/transfer-authorization.ts';
import { relayMinimum } from '../../../checkout/list-checkout-options.ts';
import { canonicalJson, requestIdOf, takenUntil } from '../requirement-quote.ts';
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
import type { Acceptance } from './accept-exact.ts';
import { describeFailure, hex, purposeOf } from './exact-authorization.ts';
import { limitFault, otherServer } from './other-server.ts';
import { revertedFault } from './reverted-transfers.ts';
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
    const known = await findExact(world.database, request);
    const fault = known ? null : ((await othersFault(world, evaluated)) ?? (await newPaymentFault(world, request)));
    // A concurrent call may have accepted it since it was looked up.
    const taken = fault ? await findExact(world.database, request) : known;
    const refused = taken ? takenFault(taken, { request, evaluated }) : fault;
    return refused ? invalidAnswer({ ...refused, payer }) : validAnswer(payer);
  },

  async settle(world, evaluated) {
    const { network, amount } = evaluated.requirements;
    const { request, refusal } = readExact(evaluated);
    if (refusal) return refusedSettlement(network, refusal);
    const { reason, message, ...outcome } = await settleExact(world, {
      ...request,
      by: () => payerOf(world, evaluated),
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

/** Why an authorization that was accepted cannot pay for the request, or null. */
function takenFault(
  taken: ExactAuthorization,
  { request, evaluated }: { request: NonNullable<Read['request']>; evaluated: EvaluatedPayment },
): Refusal | null {
  const isOpen = taken.answeredAt === null || isSameAttempt(taken.answeredTo, evaluated.attemptId);
  if (!isOpen || !isSameRequest(taken, request)) {
    const message = 'This authorization has paid for a call already.';
    return { reason: 'invalid_exact_evm_nonce_already_used', message };
  }
  return taken.failure && describeFailure(taken.failure);
}

async function payerOf(
  world: X402World,
  { claims, app, chain, token, requirements }: EvaluatedPayment,
): Promise<Acceptance['by']> {
  if (claims === null) {
    const amount = BigInt(requirements.amount);
    const minimumUsd = relayMinimum(world, chain.chainId);
    return { kind: 'OTHER', server: await otherServer(world, { app, token, amount, minimumUsd }) };
  }
  const { price: amount, currency, exchangeRate, evidence } = claims;
  const call = { fields: { amount, currency }, exchangeRate, evidence };
  return { kind: 'OWN', call: { ...call, takenUntil: takenUntil({ claims, requirements }) } };
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
  const wallet = { chainId: token.chainId, payer: signed.from, now: world.clock.now() };
  const busy = underWayFault(underWay, signed.from) ?? (await revertedFault(world.database, wallet));
  if (busy) return busy;
  const verdict = await verifyExact(world, { ...request, reserved: underWay.amount });
  return verdict.isValid ? null : { reason: verdict.reason, message: verdict.message };
}
