import { isAddressEqual } from 'viem';
import { z } from 'zod';
import { transaction } from '../../../prisma/client.ts';
import { contractAddress, takesPayment } from '../../chains/chain.ts';
import { payoutOn } from '../../checkout/list-checkout-options.ts';
import { lockWallet, pausedChains } from '../../checkout/store.ts';
import { type FieldFault, invalid } from '../../errors.ts';
import { inputFaults } from '../../platform/parse-input.ts';
import { requirePayeeApp } from './payee-app.ts';
import { canonicalJson, expiryFault, readQuote, takenUntil } from './requirement-quote.ts';
import {
  attemptIdSchema,
  chainIdOf,
  type PaymentRequirements,
  paymentPayloadSchema,
  type Refusal,
  requirementsSchema,
  signedAuthorizationSchema,
  X402_VERSION,
} from './x402-types.ts';
import {
  type EvaluatedPayment,
  type PayeeApp,
  type SchemeRules,
  type X402Way,
  type X402World,
  x402Ways,
} from './x402-world.ts';

/** The request of `verify` and `settle`, as any x402 resource server sends it. */
export const facilitatorSchema = z.object({
  x402Version: z.literal(X402_VERSION, 'this facilitator speaks version 2'),
  paymentPayload: paymentPayloadSchema,
  paymentRequirements: requirementsSchema,
  attemptId: attemptIdSchema.nullish(),
});
export type FacilitatorRequest = z.infer<typeof facilitatorSchema>;

/** Throws VALIDATION_ERROR if it is not an x402 request. */
export function requireFacilitatorRequest(input: unknown): FacilitatorRequest {
  const parsed = facilitatorSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const faults: FieldFault[] = inputFaults(parsed.error);
  throw invalid(faults);
}

export type Evaluation = { evaluated: EvaluatedPayment; refusal: null } | { evaluated: null; refusal: Refusal };

const refuse = (reason: string, message: string): Evaluation => ({ evaluated: null, refusal: { reason, message } });

/**
 * Evaluates what does not depend on the time or the scheme's own payload. A quote that was changed, is of another app or is of another
 * installation gives the same answer.
 */
export async function evaluatePayment(
  world: X402World,
  request: { scope: { merchantId: string; appId: string }; asked: FacilitatorRequest },
): Promise<Evaluation> {
  const { paymentPayload: payment, paymentRequirements: requirements } = request.asked;
  if (canonicalJson(payment.accepted) !== canonicalJson(requirements)) {
    return refuse('invalid_payment_requirements', 'The payment accepts other requirements than these.');
  }
  const way = findWay(world, requirements);
  if (way === null) return refuse('invalid_network', 'No such network and token is served here.');
  const app = await requirePayeeApp(world.database, request.scope);
  const evaluated = { ...way, app, requirements, payment, attemptId: request.asked.attemptId ?? null };
  if (requirements.extra.quote === undefined) return evaluateForeign(evaluated);
  const claims = readQuote(world.secretKeys, requirements);
  if (claims === null || claims.appId !== app.id) {
    return refuse('invalid_quote', 'The quote is not one that was issued to this app.');
  }
  return { evaluated: { ...evaluated, claims }, refusal: null };
}

function findWay(world: X402World, { network, asset }: PaymentRequirements): X402Way | null {
  const chainId = chainIdOf(network);
  const ways = x402Ways(world).filter(({ chain }) => chain.chainId === chainId);
  const isAsset = (way: X402Way) => contractAddress(way.token).toLowerCase() === asset.toLowerCase();
  return ways.find(isAsset) ?? null;
}

/** Payments to other resource servers are settled only for apps that allow it, and only with `exact`. */
function evaluateForeign(evaluated: Omit<EvaluatedPayment, 'claims'>): Evaluation {
  const { app, chain, requirements } = evaluated;
  if (!app.x402SettlesForOthers) {
    return refuse(
      'invalid_quote',
      'The requirements have no quote, and this app settles no payments to other servers.',
    );
  }
  if (requirements.scheme !== 'exact') {
    return refuse('unsupported_scheme', 'Payments to other servers are settled with the scheme exact only.');
  }
  // The limits are in USD, so they would never end transfers of nothing, whose gas the installation pays.
  if (BigInt(requirements.amount) === 0n) {
    return refuse('invalid_payment_requirements', 'The amount must be at least one base unit.');
  }
  if (!takesPayment(chain, app.mode)) {
    return refuse('invalid_network', `A ${app.mode} app takes no payments on ${chain.name}.`);
  }
  return { evaluated: { ...evaluated, claims: null }, refusal: null };
}

/**
 * Why a payment that has not been taken yet cannot be taken any more, or null. One that was taken in time keeps its outcome: after a
 * fault, waits for a concurrent call that is writing it. No call writes it once the quote has expired, because each compares the time again.
 */
export async function newPaymentFault(
  world: X402World,
  { evaluated, rules }: { evaluated: EvaluatedPayment; rules: Pick<SchemeRules, 'isTaken'> },
): Promise<Refusal | null> {
  if (await rules.isTaken(world, evaluated)) return null;
  const fault = await presentFault(world, evaluated);
  if (fault === null) return null;
  await awaitWallet(world, evaluated);
  return (await rules.isTaken(world, evaluated)) ? null : fault;
}

async function presentFault(world: X402World, evaluated: EvaluatedPayment): Promise<Refusal | null> {
  const { app, chain, claims } = evaluated;
  const late = expiryFault(takenUntil(evaluated), world.clock.now());
  if (late) return late;
  if (claims !== null && !paysPresentAddress(app, evaluated)) {
    const message = 'The address at which the merchant is paid has changed since the offer was made.';
    return { reason: 'pay_to_changed', message };
  }
  const paused = await pausedChains(world.database);
  if (!paused.has(chain.chainId)) return null;
  return { reason: 'chain_paused', message: `New payments on ${chain.name} are paused.` };
}

/** Waits until no other call writes a payment of this wallet. */
async function awaitWallet({ database }: X402World, { chain, payment }: EvaluatedPayment): Promise<void> {
  const { data } = signedAuthorizationSchema.safeParse(payment.payload);
  if (!data) return;
  const wallet = { chainId: chain.chainId, address: data.authorization.from };
  await transaction(database, (tx) => lockWallet(tx, wallet));
}

/** An address that the merchant has replaced, perhaps because its key is lost, is no longer paid. */
function paysPresentAddress(app: PayeeApp, { chain, requirements }: Pick<EvaluatedPayment, 'chain' | 'requirements'>) {
  const payout = payoutOn({ app }, chain);
  const { terms } = requirements.extra;
  const merchant = requirements.scheme === 'exact' ? requirements.payTo : merchantOf(terms);
  if (!payout || payout.sink !== null || !/^0x[0-9a-fA-F]{40}$/.test(merchant)) return false;
  return isAddressEqual(`0x${payout.address.slice(2)}`, `0x${merchant.slice(2)}`);
}

function merchantOf(terms: unknown): string {
  return z.object({ merchant: z.string() }).safeParse(terms).data?.merchant ?? '';
}
