/**
 * The evidence of a dispute.
 *
 * - *Party*: the payer or the merchant. Each sees what the other has submitted, and so does the arbiter.
 * - *Entry*: a text, the merchant's facts about the order and its delivery, or both.
 * - *File*: a PDF or a raster image, recognized by its first bytes.
 *
 * Evidence is append-only: an entry or a file is never changed or withdrawn. It is accepted while the dispute is OPEN. Evidence belongs to
 * the payment rather than to the row of the dispute, which a reorganization may delete and record again.
 */
import { z } from 'zod';
import type { DisputeParty } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';

export const TEXT_LENGTH = 10_000;
/** The maximum number of entries of one party. */
export const ENTRIES = 50;
/** The maximum number of files of one party. */
export const FILES = 50;
/** The maximum size of one file. */
export const FILE_BYTES = 10 * 1024 * 1024;
/** The maximum size of all files of a dispute together. */
export const DISPUTE_BYTES = 50 * 1024 * 1024;

const SHORT_LENGTH = 255;
const LONG_LENGTH = 1_000;
const URL_LENGTH = 2_048;

const SHORT = `1 to ${SHORT_LENGTH} characters`;
const LONG = `1 to ${LONG_LENGTH} characters`;
const short = z.string().trim().min(1, SHORT).max(SHORT_LENGTH, SHORT).nullish();
const long = z.string().trim().min(1, LONG).max(LONG_LENGTH, LONG).nullish();

/** What the merchant knows about an order and its delivery. Every fact is optional. */
export const orderFactsSchema = z.object({
  orderNumber: short,
  orderedAt: z.date().nullish(),
  itemDescription: long,
  customerName: short,
  deliveryAddress: long,
  carrier: short,
  trackingNumber: short,
  trackingUrl: z.url('an http or https URL').max(URL_LENGTH, `at most ${URL_LENGTH} characters`).nullish(),
  shippedAt: z.date().nullish(),
  deliveredAt: z.date().nullish(),
  receivedBy: short,
});
export type OrderFacts = z.infer<typeof orderFactsSchema>;

const TEXT = `1 to ${TEXT_LENGTH} characters`;

export const evidenceSchema = z
  .object({
    text: z.string().trim().min(1, TEXT).max(TEXT_LENGTH, TEXT).nullish(),
    orderFacts: orderFactsSchema.nullish(),
  })
  .refine(({ text, orderFacts }) => text || hasFacts(orderFacts), {
    path: ['text'],
    message: 'is required unless orderFacts contains a fact',
  });
export type EvidenceInput = z.infer<typeof evidenceSchema>;

export function hasFacts(facts: OrderFacts | null | undefined): facts is OrderFacts {
  return Object.values(facts ?? {}).some((fact) => fact !== null && fact !== undefined);
}

/** The submitter and its side. `name` is null for a payer with a client secret. */
export type Submitter = { party: DisputeParty; name: string | null; scope: Scope };
