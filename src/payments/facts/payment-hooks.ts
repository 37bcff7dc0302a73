/**
 * Effects of a payment's facts that lie outside the fold; main supplies them. All are called in the fold's transaction, before
 * its events are appended. They may enqueue jobs and transactions but must not append events or make network calls. After a
 * reorganization they are called again for the same intent, so each must be safe to call twice.
 */
import type { DatabaseTransaction, Dispute, PaymentIntent } from '../../../prisma/client.ts';

/** A payment that does not count and has money in escrow: held money is voided, captured money is refunded. */
export type ReturnedPayment = {
  intent: PaymentIntent;
  termsHash: string;
  chainId: number;
  status: 'AUTHORIZED' | 'CAPTURED';
  /** Base units in escrow. */
  remainingAmount: bigint;
};

/** A recipient that the escrow could not pay directly; recipient and token are in lower case. */
export type CreditedRecipient = { chainId: number; recipient: string; token: string; attemptAt: Date };

export type PaymentHooks = {
  /** The payments that count are confirmed; an uncaptured hold becomes due for reclaim at its capture deadline. */
  afterAuthorized?(tx: DatabaseTransaction, intents: readonly PaymentIntent[]): Promise<void>;
  /** The payments are captured; settlement is due at `timelockEndsAt`. */
  afterCaptured?(tx: DatabaseTransaction, intents: readonly PaymentIntent[]): Promise<void>;
  afterDisputed?(tx: DatabaseTransaction, intent: PaymentIntent, dispute: Dispute): Promise<void>;
  /** A reorganization reverted the state; an intent that is CREATED again must be able to expire. */
  afterReverted?(tx: DatabaseTransaction, intent: PaymentIntent): Promise<void>;
  /** Called after every change of such a payment while something is left. */
  returnPayment?(tx: DatabaseTransaction, payment: ReturnedPayment): Promise<void>;
  /** A payout is undelivered; its delivery is attempted from `attemptAt` on. */
  afterCredited?(tx: DatabaseTransaction, recipient: CreditedRecipient): Promise<void>;
};
