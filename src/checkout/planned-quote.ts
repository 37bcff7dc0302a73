/** The chain-specific part of a quote: the terms to be stored, and the steps that pay them. */
import type { App, PaymentIntent, Prisma } from '../../prisma/client.ts';
import type { PriceEvidence } from '../prices/price-evidence.ts';
import type { QuotedAmount } from '../prices/quote.ts';
import type { PaymentStep } from './payment-step.ts';

/** A validated way to pay, with its price; `merchant` is the payout address. */
export type PaymentToPlan = {
  quoteId: string;
  intent: PaymentIntent;
  app: App;
  merchant: string;
  quoted: QuotedAmount & { evidence: PriceEvidence };
  now: Date;
  /** How long the quote lasts, and how long after it a payment still counts. */
  quoteSeconds: number;
  graceSeconds: number;
};

export type PlannedQuote = {
  termsHash: string;
  /** As stored in `payment_terms`. */
  terms: Prisma.InputJsonObject;
  /** The last instant at which a payment of these terms counts. */
  authorizeBy: Date;
  /** Empty if the chain's terms are not signed. */
  operatorSignature: string;
  /** As stored in the quote's `plan`. */
  plan: Prisma.InputJsonObject;
  steps: PaymentStep[];
  /** Base units, as of the newest block. */
  walletBalance: bigint;
  walletAllowance: bigint;
};
