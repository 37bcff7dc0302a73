/** The type PaymentTransfer: a payment by plain transfer to a deposit address. */
import type { DepositBalance } from '../../../../prisma/client.ts';
import { type DepositWithBalances, ownBalance, shownDeposit } from '../../../payments/deposits/deposit.ts';
import { transferUrl } from '../../../payments/deposits/transfer-fields.ts';
import { printBaseUnits, toBigInt } from '../../../prices/base-units.ts';
import { builder } from '../server/builder.ts';
import { PaymentIntentRef } from './payment-intent.ts';
import { transfers } from './selections/transfer-selection.ts';

const DepositBalanceRef = builder.objectRef<DepositBalance>('DepositBalance').implement({
  description: 'Deposits and returns of a deposit address in one token.',
  fields: (t) => ({
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    received: t.expose('received', {
      type: 'BaseUnits',
      description: 'Amount received, in base units. It is counted from the block in which it is first seen.',
    }),
    returned: t.expose('returned', {
      type: 'BaseUnits',
      description: 'Amount returned to the refund address, in base units.',
    }),
    held: t.expose('held', {
      type: 'BaseUnits',
      description: 'Amount still at the address, neither collected nor returned, in base units.',
    }),
  }),
});

const own = (name: 'received' | 'returned' | 'held') => (deposit: DepositWithBalances) =>
  printBaseUnits(ownBalance(deposit)?.[name] ?? null) ?? '0';

export const PaymentTransferRef = builder.objectRef<DepositWithBalances>('PaymentTransfer').implement({
  description:
    'A plain transfer to a deposit address. If at least `amount` arrives by `payBy`, exactly `amount` is collected for the payment; everything else is returned to the refund address.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    address: t.expose('address', { type: 'Address', description: 'The deposit address.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The expected token.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'Expected amount, in base units.' }),
    received: t.field({
      type: 'BaseUnits',
      description:
        'Amount received in the expected token, in base units. It is counted from the block in which it is first seen.',
      resolve: own('received'),
    }),
    returned: t.field({
      type: 'BaseUnits',
      description: 'Amount of the expected token returned to the refund address, in base units.',
      resolve: own('returned'),
    }),
    held: t.field({
      type: 'BaseUnits',
      description: 'Amount of the expected token still at the address, neither collected nor returned, in base units.',
      resolve: own('held'),
    }),
    refundAddress: t.expose('refundAddress', {
      type: 'Address',
      description:
        'The address that receives refunds and everything that is not part of the payment. Its key can dispute the payment.',
    }),
    paymentUrl: t.string({
      extensions: { rest: false },
      description:
        'The transfer as an EIP-681 request, which some wallets read. Exchanges accept only the bare address.',
      resolve: (deposit) => transferUrl({ ...deposit, amount: toBigInt(deposit.amount) }),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Time by which the payer should send it.' }),
    payBy: t.expose('authorizeBy', {
      type: 'DateTime',
      description: 'Latest block time at which it is collected. Later deposits are returned.',
    }),
    stuckSince: t.expose('stuckSince', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time since which a return from the address has failed. It is tried again after 5 minutes, after an hour, and then every 6 hours.',
    }),
    stuckReason: t.exposeString('stuckReason', { nullable: true, description: 'Why the return fails.' }),
    balances: t.expose('balances', {
      type: [DepositBalanceRef],
      complexity: { field: 1, multiplier: 1 },
      description: 'Deposits and returns by token, including wrong tokens. Registered tokens only.',
    }),
  }),
});

builder.prismaObjectFields(PaymentIntentRef, (t) => ({
  transfer: t.field({
    extensions: { rest: true },
    type: PaymentTransferRef,
    nullable: true,
    complexity: { field: 1, multiplier: 1 },
    description:
      'The plain transfer that pays it, or the one requested last. Null if none was requested, or if it was paid in another way and no deposit has arrived.',
    select: { deposits: transfers, acceptedTermsHash: true, authorizationChainId: true },
    resolve: (intent) => shownDeposit(intent, intent.deposits),
  }),
  transfers: t.field({
    type: [PaymentTransferRef],
    complexity: { field: 1, multiplier: 5 },
    description: 'All deposit addresses of the payment intent, oldest first, at most 20.',
    select: { deposits: transfers },
    resolve: (intent) => intent.deposits,
  }),
}));
