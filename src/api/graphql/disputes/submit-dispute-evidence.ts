/** The mutation submitDisputeEvidence. Files are uploaded by POST /disputes/:id/files. */
import { evidenceSchema, TEXT_LENGTH } from '../../../payments/disputes/evidence.ts';
import { submitEvidence } from '../../../payments/disputes/submit-evidence.ts';
import { builder } from '../server/builder.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { submitterIn } from './dispute-caller.ts';
import { DisputeEvidenceRef, factWords } from './dispute-evidence.ts';

const DisputeOrderFactsInput = builder.inputType('DisputeOrderFactsInput', {
  description: 'Facts about an order and its delivery. Each is optional.',
  fields: (t) => ({
    orderNumber: t.string({ description: factWords.orderNumber }),
    orderedAt: t.field({ type: 'DateTime', description: factWords.orderedAt }),
    itemDescription: t.string({ description: factWords.itemDescription }),
    customerName: t.string({ description: factWords.customerName }),
    deliveryAddress: t.string({ description: factWords.deliveryAddress }),
    carrier: t.string({ description: factWords.carrier }),
    trackingNumber: t.string({ description: factWords.trackingNumber }),
    trackingUrl: t.field({ type: 'URL', description: factWords.trackingUrl }),
    shippedAt: t.field({ type: 'DateTime', description: factWords.shippedAt }),
    deliveredAt: t.field({ type: 'DateTime', description: factWords.deliveredAt }),
    receivedBy: t.string({ description: factWords.receivedBy }),
  }),
});

const rules = defineRules({ schema: evidenceSchema });

const SubmitDisputeEvidenceInput = builder.inputType('SubmitDisputeEvidenceInput', {
  description: 'An evidence entry: a text, facts about the order, or both.',
  extensions: carryRules(rules),
  fields: (t) => ({
    text: t.string({ description: `1 to ${TEXT_LENGTH} characters. Required unless orderFacts contains a fact.` }),
    orderFacts: t.field({
      type: DisputeOrderFactsInput,
      description: 'Facts about the order. Only the merchant can state them.',
    }),
  }),
});

builder.mutationField('submitDisputeEvidence', (t) =>
  t.field({
    type: DisputeEvidenceRef,
    description:
      "Adds evidence for the caller's side to an open dispute. It cannot be changed or withdrawn, and the other side and the arbiter can see it. INVALID_STATE unless the dispute is OPEN.",
    authScopes: { write: true, session: true, payer: true },
    args: {
      id: t.arg.id({ required: true, description: "The dispute's UUID." }),
      input: t.arg({ type: SubmitDisputeEvidenceInput, required: true }),
    },
    resolve: async (_root, args, context) => {
      const input = checked(context, rules, args.input);
      const { by, keyScopeId } = await submitterIn(context, args.id);
      const call = {
        scopeId: keyScopeId,
        operation: 'submitDisputeEvidence',
        parameters: { id: args.id, party: by.party, ...input },
      };
      return await submitEvidence(context.world, {
        disputeId: args.id,
        by,
        input,
        idempotency: idempotencyOf(context, call),
      });
    },
  }),
);
