/**
 * How a payer may pay with a token. DIRECT: the payer's wallet sends the payment. PERMIT and APPROVAL are relayed: the payer
 * signs and the operator sends, so the payment must be worth the operator's gas. TRANSFER: the payer sends to a deposit address, from
 * any wallet or an exchange, and the operator collects it there. The native coin of a chain cannot be pulled, so it is DIRECT or TRANSFER
 * only. On Solana everything is DIRECT.
 */
import { Decimal } from 'decimal.js';
import type { AuthorizationMethod, CheckoutMode } from '../../prisma/client.ts';
import { type Chain, NATIVE, type Token } from '../chains/chain.ts';

/** A TRANSFER counts as DIRECT once it is made: the payer's own transaction moved the money. */
export type CheckoutMethod = AuthorizationMethod | 'TRANSFER';

export const checkoutMethods = [
  'DIRECT',
  'PERMIT',
  'APPROVAL',
  'TRANSFER',
] as const satisfies readonly CheckoutMethod[];

/** The method by which quotes, terms and payments are recorded. */
export function recordedMethod(method: CheckoutMethod): AuthorizationMethod {
  return method === 'TRANSFER' ? 'DIRECT' : method;
}

/** `amountUsd` is the amount paid; relayed methods require at least `relayMinimumUsd`. A subscription is never paid DIRECT or by TRANSFER. */
export function methodsFor(request: {
  family: Chain['family'];
  token: Token;
  amountUsd: Decimal;
  relayMinimumUsd: string;
  isRecurring: boolean;
}): CheckoutMethod[] {
  const { token } = request;
  // A subscription to a metered price without a base fee begins with nothing to pay.
  const isFreeStart = request.isRecurring && request.amountUsd.isZero();
  const isWorthIt = isFreeStart || request.amountUsd.gte(new Decimal(request.relayMinimumUsd));
  const isRelayable = request.family === 'EVM' && isWorthIt;
  const direct: CheckoutMethod[] = request.isRecurring ? [] : ['DIRECT'];
  const transfer: CheckoutMethod[] = isRelayable && !request.isRecurring ? ['TRANSFER'] : [];
  if (!isRelayable || token.address === NATIVE) return [...direct, ...transfer];
  // A subscription's allowance is for many charges, whereas ERC-3009 moves money once.
  const isPermittable = token.permit !== null || (token.receive !== null && !request.isRecurring);
  return [...direct, ...(isPermittable ? (['PERMIT'] as const) : []), 'APPROVAL', ...transfer];
}

type Figure = { toString(): string };

/**
 * The amount that decides whether relaying is worth it. The first period of a subscription counts without its coupon, because the
 * later ones are relayed at the full price.
 */
export function relayedAmount(session: { mode: CheckoutMode; amount: Figure; discountAmount: Figure }): Decimal {
  const amount = new Decimal(session.amount.toString());
  return session.mode === 'SUBSCRIPTION' ? amount.plus(session.discountAmount.toString()) : amount;
}
