/**
 * What follows from a payment's facts and is not this room's part of the fold; main gives them. All are called in the
 * fold's transaction, before its events, and may enqueue jobs and transactions; none may append events or ask a network.
 * After a reorganisation they are called again for the same intent, so that each must be harmless twice.
 */
import type { DatabaseTransaction, Dispute, PaymentIntent } from '../../../prisma/client.ts';

/** A payment that does not count, with money in escrow: VOID what is held, REFUND what is captured. */
export type ReturnedPayment = {
  intent: PaymentIntent;
  termsHash: string;
  chainId: number;
  status: 'AUTHORIZED' | 'CAPTURED';
  /** Base units in escrow. */
  left: bigint;
};

/** A recipient to which the escrow could not push a payout; recipient and token in lower case. */
export type CreditedRecipient = { chainId: number; recipient: string; token: string; tryAt: Date };

export type PaymentHooks = {
  /** The payment that counts is final: capture deadline, the payer's wallet. */
  afterAuthorized?(tx: DatabaseTransaction, intent: PaymentIntent): Promise<void>;
  /** Settlement is due at `timelockEndsAt`. */
  afterCaptured?(tx: DatabaseTransaction, intent: PaymentIntent): Promise<void>;
  afterDisputed?(tx: DatabaseTransaction, intent: PaymentIntent, dispute: Dispute): Promise<void>;
  /** A reorganisation took the state back; an intent that is CREATED again must be able to expire. */
  afterReverted?(tx: DatabaseTransaction, intent: PaymentIntent): Promise<void>;
  /** Called after every change of such a payment while something is left. */
  returnPayment?(tx: DatabaseTransaction, payment: ReturnedPayment): Promise<void>;
  /** A payout is undelivered: delivering it is tried from `tryAt` on. */
  afterCredited?(tx: DatabaseTransaction, recipient: CreditedRecipient): Promise<void>;
};
