/** The facts that a mail states, frozen when it is queued. Amounts are decimal strings, instants ISO 8601; the template formats them. */
import { z } from 'zod';

const moneySchema = z.object({ amount: z.string(), currency: z.string() });
export type Money = z.infer<typeof moneySchema>;

const text = z.string();

/** The steps of a dispute that mails are sent about. */
export const disputeSteps = ['OPENED', 'EVIDENCE_SUBMITTED', 'DEADLINE_APPROACHING', 'RESOLVED'] as const;
export type DisputeStep = (typeof disputeSteps)[number];

export const mailContentSchema = z.object({
  /** The merchant's app; null for the installation. */
  appName: text.nullable(),
  customerName: text.nullish(),
  money: moneySchema.optional(),
  /** In whole tokens with the symbol: "12.5 USDC". */
  token: text.optional(),
  chain: text.optional(),
  transaction: z.object({ hash: text, url: text.nullable() }).optional(),
  at: text.optional(),
  lines: z.array(z.object({ text, money: moneySchema })).optional(),
  reference: text.nullish(),
  reason: text.nullish(),
  plan: text.optional(),
  /** Whether the renewal charges usage too. `money` has the usage so far. */
  isMetered: z.boolean().optional(),
  /** A `RenewalCauseCode`. */
  cause: text.optional(),
  nextAttemptAt: text.nullish(),
  isPastDue: z.boolean().optional(),
  dispute: z
    .object({
      id: text,
      step: z.enum(disputeSteps),
      /** A `DisputeStatus`. */
      status: text,
      deadline: text,
      /** The payer's share, once it is resolved. */
      payerPercent: text.nullable(),
    })
    .optional(),
  invoiceNumber: text.nullish(),
  invoiceId: text.nullish(),
  /** When the link that repairs a renewal expires. Absent in mails that were queued before there was one. */
  linkExpiresAt: text.optional(),
  paymentIntentId: text.optional(),
  subscriptionId: text.optional(),
  /** The merchant's own page about the payment, if the checkout named one. */
  endpointUrl: text.optional(),
  sender: text.optional(),
  balance: text.optional(),
  counts: z.record(z.string(), z.int()).optional(),
  /** For the link that stops reminders. */
  customerId: text.optional(),
});
export type MailContent = z.infer<typeof mailContentSchema>;
