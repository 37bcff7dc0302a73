/** The background work of payments. Each job rings a verb, which reads everything again under the payment's lock. */
import { z } from 'zod';
import { NATIVE } from '../chains/chain.ts';
import { defineJob } from '../platform/jobs.ts';
import type { PaymentKey } from './payment-key.ts';

const onePayment = z.object({ paymentIntentId: z.uuid() });

/** From the end of the timelock on: pays the merchant out. */
export const settleJob = defineJob({ name: 'settle-payment', payload: onePayment, maxAttempts: 25 });

/** From the intent's expiry on: cancels it once no authorization can come any more. */
export const expireJob = defineJob({ name: 'expire-payment-intent', payload: onePayment, maxAttempts: 25 });

/** After the capture deadline: gives an uncaptured hold back. */
export const reclaimJob = defineJob({ name: 'reclaim-payment', payload: onePayment, maxAttempts: 25 });

/** After a dispute's deadline: splits what is left as both signed. */
export const resolveByTimeoutJob = defineJob({
  name: 'resolve-dispute-by-timeout',
  payload: onePayment,
  maxAttempts: 25,
});

/** An authorization that does not count (a second one, or one of a cancelled intent): gives its money back. */
export const returnPaymentJob = defineJob({
  name: 'return-payment',
  payload: z.object({ chainId: z.int(), termsHash: z.string().regex(/^0x[0-9a-fA-F]{64}$/) }),
  maxAttempts: 25,
});

/** At most one such job waits for a payment. */
export function returnKey({ chainId, termsHash }: PaymentKey): string {
  return `return:${chainId}:${termsHash}`;
}

/** Of an EVM chain in lower case, or of Solana; a token may be Solana's own coin. */
const address = z.string().regex(/^(0x[0-9a-f]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/);

/** What is kept for a recipient that could not be paid, in one token: tried on a schedule until it is delivered. */
export const deliverPayoutsJob = defineJob({
  name: 'deliver-payouts',
  payload: z.object({ chainId: z.int(), recipient: address, token: z.union([z.literal(NATIVE), address]) }),
  maxAttempts: 25,
});
