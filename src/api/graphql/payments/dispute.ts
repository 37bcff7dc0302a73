/** The Dispute type. */
import { builder, NodeRef } from '../server/builder.ts';

export const DisputeStatusEnum = builder.enumType('DisputeStatus', {
  description: 'Status of a dispute.',
  values: {
    OPEN: { value: 'OPEN', description: 'Waiting for a decision of the merchant or the arbiter.' },
    RESOLVED_MERCHANT: { value: 'RESOLVED_MERCHANT', description: 'The merchant keeps everything.' },
    RESOLVED_PAYER: { value: 'RESOLVED_PAYER', description: 'The payer receives everything.' },
    RESOLVED_SPLIT: { value: 'RESOLVED_SPLIT', description: 'Each party receives a part.' },
  } as const,
});

export const DisputeRef = builder.prismaObject('Dispute', {
  description: "A payer's dispute of a captured payment.",
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    paymentIntentId: t.expose('paymentIntentId', { type: 'UUID', description: 'The payment.' }),
    reason: t.exposeString('reason', { nullable: true, description: "The payer's reason, 1 to 500 characters." }),
    evidence: t.exposeString('evidence', {
      nullable: true,
      description: "The payer's statement. Null if the payer has submitted none.",
    }),
    status: t.expose('status', { type: DisputeStatusEnum, description: 'Current status.' }),
    payerBps: t.exposeInt('payerBps', {
      nullable: true,
      description: "The payer's share of the resolution, in basis points. Null while the dispute is open.",
    }),
    deadline: t.expose('deadline', {
      type: 'DateTime',
      description: 'Time after which anyone may resolve it by timeout.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it was opened.' }),
    resolvedAt: t.expose('resolvedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the dispute was resolved.',
    }),
  }),
});
