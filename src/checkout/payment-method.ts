/**
 * How a payer may pay with a token. DIRECT: the payer's wallet sends the payment. PERMIT and APPROVAL are relayed: the payer
 * signs and the operator sends, so the payment must be worth the operator's gas. The native coin of a chain cannot be pulled, so
 * it is DIRECT only, as is everything on Solana.
 */
import { Decimal } from 'decimal.js';
import type { AuthorizationMethod, CheckoutMode } from '../../prisma/client.ts';
import { type Chain, NATIVE, type Token } from '../chains/chain.ts';

/** `amountUsd` is the amount paid; relayed methods require at least `relayMinimumUsd`. A subscription is never paid DIRECT. */
export function methodsFor(request: {
  family: Chain['family'];
  token: Token;
  amountUsd: Decimal;
  relayMinimumUsd: string;
  isRecurring: boolean;
}): AuthorizationMethod[] {
  const { token } = request;
  const isPullable = request.family === 'EVM' && token.address !== NATIVE;
  const isRelayable = isPullable && request.amountUsd.gte(new Decimal(request.relayMinimumUsd));
  const methods: AuthorizationMethod[] = request.isRecurring ? [] : ['DIRECT'];
  if (!isRelayable) return methods;
  // A subscription's allowance is for many charges, whereas ERC-3009 moves money once.
  const isPermittable = token.permit !== null || (token.receive !== null && !request.isRecurring);
  return isPermittable ? [...methods, 'PERMIT', 'APPROVAL'] : [...methods, 'APPROVAL'];
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
