/** The field PaymentIntent.x402: what a paid API call bought. */
import type { PaidCall } from '../../../../payments/new-payment-intent.ts';
import { paidCall } from '../../../../payments/payment-intent-fields.ts';
import { PaymentIntentRef } from '../../payments/payment-intent.ts';
import { builder } from '../../server/builder.ts';

const PaidCallRef = builder.objectRef<PaidCall>('PaymentX402').implement({
  description: 'The paid API call (x402) that a payment intent pays.',
  fields: (t) => ({
    resource: t.exposeString('resource', { description: 'The URL of the resource.' }),
    scheme: t.exposeString('scheme', {
      description: 'escrow; or exact, which went straight to the merchant and cannot be refunded by this gateway.',
    }),
    network: t.exposeString('network', { description: 'The chain as a CAIP-2 name, such as eip155:8453.' }),
  }),
});

builder.prismaObjectFields(PaymentIntentRef, (t) => ({
  x402: t.field({
    type: PaidCallRef,
    nullable: true,
    description: 'The paid API call (x402) that it pays. Null for every other payment intent.',
    resolve: (intent) => paidCall(intent),
  }),
}));
