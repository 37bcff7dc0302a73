/** The type OverviewUndelivered: funds in the escrow that could not be delivered to their recipients. */
import { adviceOn, formatPayout, printAddress } from '../../../payments/payouts/payout-fields.ts';
import type { UndeliveredSum } from '../../../payments/payouts/read-undelivered.ts';
import { isBeingDelivered, PayoutRoleEnum } from '../payments/undelivered.ts';
import { builder } from '../server/builder.ts';

export const OverviewUndeliveredRef = builder.objectRef<UndeliveredSum>('OverviewUndelivered').implement({
  description: 'Undelivered payouts of one recipient in one token: one claim delivers all of them.',
  fields: (t) => ({
    role: t.expose('role', { type: PayoutRoleEnum, description: 'The party that the payouts are for.' }),
    recipient: t.string({
      description: 'Address of the recipient, with its checksum.',
      resolve: (sum) => printAddress(sum.recipient),
    }),
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    payments: t.exposeInt('payments', { description: 'Number of payment intents.' }),
    amount: t.field({
      type: 'BaseUnits',
      description: 'Amount in base units.',
      resolve: ({ amount }) => String(amount),
    }),
    formatted: t.string({
      description: 'Whole tokens, as a decimal string.',
      resolve: ({ tokenKey, amount }, _args, { world }) => formatPayout(world.registry, { tokenKey, amount }),
    }),
    since: t.expose('since', { type: 'DateTime', description: 'Block time of the oldest payout.' }),
    paymentIntentId: t.expose('paymentIntentId', {
      type: 'UUID',
      description: 'The payment intent of the oldest payout. Call deliverPayouts with it to retry all of them.',
    }),
    nextTryAt: t.expose('nextTryAt', { type: 'DateTime', description: 'Time of the next attempt to deliver them.' }),
    isBeingDelivered: t.boolean({
      description: 'Whether a claim that delivers all of them is pending.',
      resolve: (sum, _args, context) => isBeingDelivered(context, sum),
    }),
    advice: t.string({
      description: 'What the recipient can do to receive the payout.',
      resolve: (sum, _args, { world }) => adviceOn(world.registry, sum),
    }),
  }),
});
