/** The enum PaymentIntentFlag and the field PaymentIntent.flags. */
import { flagsOf, type PaymentFlag, paymentFlags } from '../../../payments/search/payment-flag.ts';
import { builder } from '../server/builder.ts';
import { PaymentIntentRef } from './payment-intent.ts';
import { undelivered } from './selections/undelivered-selection.ts';

const words: { [Flag in PaymentFlag]: string } = {
  DISPUTED: 'The payment has an open dispute.',
  PARTIALLY_REFUNDED: 'A part of the payment was refunded. The rest is still in escrow, or was paid out.',
  UNDELIVERED: 'A payout of the payment has not been delivered yet.',
  MISPAID:
    'A payment arrived that does not count: a second payment, a wrong amount or another token. It is returned to its payer.',
  LATE: 'A payment arrived after the payment intent was cancelled or had expired. It is returned to its payer.',
};

export const PaymentIntentFlagEnum = builder.enumType('PaymentIntentFlag', {
  description: 'An exceptional condition of a payment besides its status.',
  values: Object.fromEntries(paymentFlags.map((flag) => [flag, { value: flag, description: words[flag] }])) as {
    [Flag in PaymentFlag]: { value: Flag; description: string };
  },
});

builder.prismaObjectField(PaymentIntentRef, 'flags', (t) =>
  t.field({
    extensions: { rest: false },
    type: [PaymentIntentFlagEnum],
    description: 'Exceptional conditions of the payment besides its status. Empty for most payments.',
    authScopes: { read: true },
    select: { status: true, refundedAt: true, dispute: true, payouts: undelivered, strayPayments: true },
    resolve: (intent) => flagsOf(intent),
  }),
);
