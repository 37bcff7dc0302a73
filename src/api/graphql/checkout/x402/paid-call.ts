/** The field PaymentIntent.x402: what a paid API call bought. */
import type { PaidCall } from '../../../../payments/new-payment-intent.ts';
import { paidCall } from '../../../../payments/payment-intent-fields.ts';
import { type PriceEvidence, readEvidence } from '../../../../prices/price-evidence.ts';
import { PaymentIntentRef } from '../../payments/payment-intent.ts';
import { batched } from '../../server/batch.ts';
import { builder } from '../../server/builder.ts';
import type { GraphqlContext } from '../../server/context.ts';
import { PriceEvidenceRef } from '../payment-step.ts';

const PaidCallRef = builder.objectRef<PaidCall & { paymentIntentId: string }>('PaymentX402').implement({
  description: 'The paid API call (x402) that a payment intent pays.',
  fields: (t) => ({
    resource: t.exposeString('resource', { description: 'The URL of the resource.' }),
    scheme: t.exposeString('scheme', {
      description:
        '`escrow`, or `exact`, which was paid directly to the merchant and cannot be refunded by this gateway.',
    }),
    network: t.exposeString('network', { description: 'The chain as a CAIP-2 name, such as eip155:8453.' }),
    priceEvidence: t.field({
      type: [PriceEvidenceRef],
      authScopes: { read: true },
      complexity: { field: 1, multiplier: 2 },
      description: 'The prices that the amount was computed from, by asset. USD needs none.',
      resolve: async ({ paymentIntentId }, _args, context) =>
        (await batched(context, 'callEvidence', paymentIntentId, (ids) => readCallEvidence(context, ids))) ?? [],
    }),
  }),
});

builder.prismaObjectFields(PaymentIntentRef, (t) => ({
  x402: t.field({
    extensions: { rest: true },
    type: PaidCallRef,
    nullable: true,
    description: 'The paid API call (x402) that it pays. Null for every other payment intent.',
    resolve: (intent) => {
      const call = paidCall(intent);
      return call && { ...call, paymentIntentId: intent.id };
    },
  }),
}));

async function readCallEvidence({ database }: GraphqlContext, ids: string[]): Promise<Map<string, PriceEvidence>> {
  const where = { paymentIntentId: { in: ids } };
  const select = { paymentIntentId: true, evidence: true };
  const rows = await Promise.all([
    database.exactAuthorization.findMany({ where, select }),
    database.quote.findMany({ where, select }),
  ]);
  return new Map(
    rows
      .flat()
      .flatMap(({ paymentIntentId, evidence }) =>
        paymentIntentId === null ? [] : [[paymentIntentId, readEvidence(evidence ?? [])] as const],
      ),
  );
}
