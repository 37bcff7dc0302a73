/** The background jobs of payments. Each job calls a verb, which reads everything again under the payment's lock. */
import { z } from 'zod';
import { NATIVE } from '../chains/chain.ts';
import { defineJob } from '../platform/jobs.ts';
import type { PaymentKey } from './payment-key.ts';

const onePayment = z.object({ paymentIntentId: z.uuid() });

/** Pays out the merchant once the timelock has ended. */
export const settleJob = defineJob({ name: 'settle-payment', payload: onePayment, maxAttempts: 25 });

/** The key that allows at most one waiting job per payment. */
export function settleKey(paymentIntentId: string): string {
  return `settle:${paymentIntentId}`;
}

/** Cancels an expired intent once no authorization can arrive any more. */
export const expireJob = defineJob({ name: 'expire-payment-intent', payload: onePayment, maxAttempts: 25 });

/** Returns an uncaptured hold to the payer after the capture deadline. */
export const reclaimJob = defineJob({ name: 'reclaim-payment', payload: onePayment, maxAttempts: 25 });

/** After a dispute's deadline, splits the remaining amount as the signed terms specify. */
export const resolveByTimeoutJob = defineJob({
  name: 'resolve-dispute-by-timeout',
  payload: onePayment,
  maxAttempts: 25,
});

/** Returns the money of an authorization that does not count: a second one, or one of a cancelled intent. */
export const returnPaymentJob = defineJob({
  name: 'return-payment',
  payload: z.object({ chainId: z.int(), termsHash: z.string().regex(/^0x[0-9a-fA-F]{64}$/) }),
  maxAttempts: 25,
});

/** The job key that allows at most one waiting job per payment. */
export function returnKey({ chainId, termsHash }: PaymentKey): string {
  return `return:${chainId}:${termsHash}`;
}

/** Collects or returns the balance of a payment's deposit address. */
export const actOnDepositJob = defineJob({
  name: 'act-on-deposit',
  payload: z.object({ chainId: z.int(), termsHash: z.string().regex(/^0x[0-9a-fA-F]{64}$/) }),
  maxAttempts: 25,
});

/** The job key that allows at most one waiting job per deposit address. */
export function depositKey({ chainId, termsHash }: PaymentKey): string {
  return `deposit:${chainId}:${termsHash}`;
}

/** An EVM address in lower case or a Solana address. */
const address = z.string().regex(/^(0x[0-9a-f]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/);

/**
 * Delivers, in one token, what the escrow holds for a recipient that could not be paid; retried on a schedule until it is
 * delivered.
 */
export const deliverPayoutsJob = defineJob({
  name: 'deliver-payouts',
  payload: z.object({ chainId: z.int(), recipient: address, token: z.union([z.literal(NATIVE), address]) }),
  maxAttempts: 25,
});
