/** The evidence that both sides of a dispute have submitted: the types DisputeEvidence and DisputeFile. */
import type { DisputeParty } from '../../../../prisma/client.ts';
import {
  DISPUTE_BYTES,
  ENTRIES,
  FILE_BYTES,
  FILES,
  type OrderFacts,
  orderFactsSchema,
} from '../../../payments/disputes/evidence.ts';
import { DisputeRef } from '../payments/dispute.ts';
import { builder, NodeRef } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';

const DisputePartyEnum = builder.enumType('DisputeParty', {
  description: 'A side of a dispute.',
  values: {
    PAYER: { value: 'PAYER', description: 'The payer, who opened it.' },
    MERCHANT: { value: 'MERCHANT', description: 'The merchant.' },
  } as const,
});

/** Descriptions of the facts, shared by the type and its input. */
export const factWords = {
  orderNumber: "The merchant's order number, 1 to 255 characters.",
  orderedAt: 'Time of the order.',
  itemDescription: 'Description of the items sold, 1 to 1000 characters.',
  customerName: 'Name of the customer, 1 to 255 characters.',
  deliveryAddress: 'Address to which the order was delivered, 1 to 1000 characters.',
  carrier: 'Company that delivered the order, 1 to 255 characters.',
  trackingNumber: 'Tracking number of the shipment, 1 to 255 characters.',
  trackingUrl: 'Page on which the shipment can be tracked: an http or https URL of at most 2048 characters.',
  shippedAt: 'Time at which the order was shipped.',
  deliveredAt: 'Time at which the order was delivered.',
  receivedBy: 'Person who received the delivery, 1 to 255 characters.',
} as const satisfies Record<keyof OrderFacts, string>;

const OrderFactsRef = builder.objectRef<OrderFacts>('DisputeOrderFacts').implement({
  description: 'Facts about an order and its delivery, as stated by the merchant. A fact that was not stated is null.',
  fields: (t) => {
    const text = (name: 'orderNumber' | 'itemDescription' | 'customerName' | 'deliveryAddress' | 'receivedBy') =>
      t.string({ nullable: true, description: factWords[name], resolve: (facts) => facts[name] ?? null });
    const shipment = (name: 'carrier' | 'trackingNumber') =>
      t.string({ nullable: true, description: factWords[name], resolve: (facts) => facts[name] ?? null });
    const time = (name: 'orderedAt' | 'shippedAt' | 'deliveredAt') =>
      t.field({
        type: 'DateTime',
        nullable: true,
        description: factWords[name],
        resolve: (facts) => facts[name] ?? null,
      });
    return {
      orderNumber: text('orderNumber'),
      orderedAt: time('orderedAt'),
      itemDescription: text('itemDescription'),
      customerName: text('customerName'),
      deliveryAddress: text('deliveryAddress'),
      carrier: shipment('carrier'),
      trackingNumber: shipment('trackingNumber'),
      trackingUrl: t.field({
        type: 'URL',
        nullable: true,
        description: factWords.trackingUrl,
        resolve: (facts) => facts.trackingUrl ?? null,
      }),
      shippedAt: time('shippedAt'),
      deliveredAt: time('deliveredAt'),
      receivedBy: text('receivedBy'),
    };
  },
});

const SUBMITTED_BY =
  "Who submitted it: a member's email address, the prefix of an API key, or the payer's wallet. Null for a payer with a client secret. Payers do not see which member or key acts for the merchant.";

/** Who submitted an entry or a file, as far as the caller may know: payers do not see who acts for the merchant. */
export function submitterShownTo(
  { principal }: Pick<GraphqlContext, 'principal'>,
  { party, submittedBy }: { party: DisputeParty; submittedBy: string | null },
): string | null {
  const isPayer = principal.kind === 'session' || principal.kind === 'payer';
  return isPayer && party === 'MERCHANT' ? null : submittedBy;
}

export const DisputeEvidenceRef = builder.prismaObject('DisputeEvidence', {
  description: 'An evidence entry in a dispute. It cannot be changed, and both sides and the arbiter can see it.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    paymentIntentId: t.expose('paymentIntentId', { type: 'UUID', description: 'The disputed payment.' }),
    party: t.expose('party', { type: DisputePartyEnum, description: 'The side that submitted it.' }),
    submittedBy: t.string({
      nullable: true,
      description: SUBMITTED_BY,
      select: { party: true, submittedBy: true },
      resolve: (entry, _args, context) => submitterShownTo(context, entry),
    }),
    text: t.exposeString('text', { nullable: true, description: 'At most 10000 characters.' }),
    orderFacts: t.field({
      extensions: { rest: true },
      type: OrderFactsRef,
      nullable: true,
      description: 'Facts about the order, as stated by the merchant.',
      select: { orderFacts: true },
      resolve: ({ orderFacts }) => readFacts(orderFacts),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it was submitted.' }),
  }),
});

const instants = ['orderedAt', 'shippedAt', 'deliveredAt'] as const;

/** Reads the facts from the stored JSON. */
function readFacts(stored: unknown): OrderFacts | null {
  if (stored === null || typeof stored !== 'object') return null;
  const times = instants.flatMap((name) => {
    const text: unknown = Reflect.get(stored, name);
    return typeof text === 'string' ? [[name, new Date(text)]] : [];
  });
  return orderFactsSchema.parse({ ...stored, ...Object.fromEntries(times) });
}

const DisputeFileRef = builder.prismaObject('DisputeFile', {
  description: 'An evidence file in a dispute. It cannot be changed, and both sides and the arbiter can see it.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    paymentIntentId: t.expose('paymentIntentId', { type: 'UUID', description: 'The disputed payment.' }),
    party: t.expose('party', { type: DisputePartyEnum, description: 'The side that submitted it.' }),
    submittedBy: t.string({
      nullable: true,
      description: SUBMITTED_BY,
      select: { party: true, submittedBy: true },
      resolve: (file, _args, context) => submitterShownTo(context, file),
    }),
    name: t.exposeString('name', { description: 'The sanitized file name, with the extension of the content type.' }),
    contentType: t.exposeString('contentType', {
      description: 'application/pdf, image/png, image/jpeg, image/webp or image/gif, detected from its first bytes.',
    }),
    sizeBytes: t.exposeInt('sizeBytes', { description: `Size in bytes, 1 to ${FILE_BYTES}.` }),
    sha256: t.field({
      type: 'Hex',
      description: 'SHA-256 of the content: `0x` and 64 hex digits.',
      select: { sha256: true },
      resolve: ({ sha256 }) => `0x${Buffer.from(sha256).toString('hex')}`,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it was submitted.' }),
  }),
});

builder.prismaObjectFields(DisputeRef, (t) => ({
  evidenceEntries: t.field({
    type: [DisputeEvidenceRef],
    complexity: { field: 1, multiplier: 5 },
    description: `Evidence that both sides have submitted since the dispute was opened, oldest first; at most ${ENTRIES} entries from each side.`,
    select: (_args, _context, nestedSelection) => ({
      paymentIntent: {
        select: { disputeEvidence: nestedSelection({ orderBy: { id: 'asc' }, take: 2 * ENTRIES }) },
      },
    }),
    resolve: ({ paymentIntent }) => paymentIntent.disputeEvidence,
  }),
  files: t.field({
    type: [DisputeFileRef],
    complexity: { field: 1, multiplier: 5 },
    description: `Files of both sides, oldest first; at most ${FILES} from each side, and ${DISPUTE_BYTES} bytes in total. \`GET /disputes/:id/files/:fileId\` returns their content.`,
    select: (_args, _context, nestedSelection) => ({
      paymentIntent: { select: { disputeFiles: nestedSelection({ orderBy: { id: 'asc' }, take: 2 * FILES }) } },
    }),
    resolve: ({ paymentIntent }) => paymentIntent.disputeFiles,
  }),
}));
