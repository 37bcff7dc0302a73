/** The type PaymentTransfer: a payment by plain transfer to a deposit address. */
import type { DepositBalance } from '../../../../prisma/client.ts';
import { type DepositWithBalances, ownBalance, shownDeposit } from '../../../payments/deposits/deposit.ts';
import { transferUrl } from '../../../payments/deposits/transfer-fields.ts';
import { printBaseUnits, toBigInt } from '../../../prices/base-units.ts';
import { builder } from '../server/builder.ts';
import { PaymentIntentRef } from './payment-intent.ts';
import { transfers } from './transfer-selection.ts';

const DepositBalanceRef = builder.objectRef<DepositBalance>('DepositBalance').implement({
  description: 'What a deposit address received of one token.',
  fields: (t) => ({
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    received: t.expose('received', {
      type: 'BaseUnits',
      description: 'What arrived, base units, from the block on in which it was seen.',
    }),
    returned: t.expose('returned', {
      type: 'BaseUnits',
      description: 'What went back to the refund address, base units.',
    }),
    held: t.expose('held', {
      type: 'BaseUnits',
      description: 'What lies there: not collected and not returned, base units.',
    }),
  }),
});

const own = (name: 'received' | 'returned' | 'held') => (deposit: DepositWithBalances) =>
  printBaseUnits(ownBalance(deposit)?.[name] ?? null) ?? '0';

export const PaymentTransferRef = builder.objectRef<DepositWithBalances>('PaymentTransfer').implement({
  description:
    'A plain transfer to a deposit address. Exactly `amount` is collected for the payment once it has arrived by `payBy`; everything else goes back to the refund address.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { description: 'The chain.' }),
    address: t.expose('address', { type: 'Address', description: 'The deposit address.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token that is expected.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'What is expected, base units.' }),
    received: t.field({
      type: 'BaseUnits',
      description: 'What arrived of that token, base units, from the block on in which it was seen.',
      resolve: own('received'),
    }),
    returned: t.field({
      type: 'BaseUnits',
      description: 'What of it went back to the refund address, base units.',
      resolve: own('returned'),
    }),
    held: t.field({
      type: 'BaseUnits',
      description: 'What of it lies at the address: not collected and not returned, base units.',
      resolve: own('held'),
    }),
    refundAddress: t.expose('refundAddress', {
      type: 'Address',
      description: 'Who gets back what does not belong to the payment, receives refunds, and may dispute.',
    }),
    paymentUrl: t.string({
      description: 'The transfer as an EIP-681 request, which some wallets read. Exchanges take the bare address.',
      resolve: (deposit) => transferUrl({ ...deposit, amount: toBigInt(deposit.amount) }),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when it should be sent.' }),
    payBy: t.expose('authorizeBy', {
      type: 'DateTime',
      description: 'The block time until which it is collected; what arrives later is returned.',
    }),
    stuckSince: t.expose('stuckSince', {
      type: 'DateTime',
      nullable: true,
      description:
        'Since when something that lies there cannot be returned; it is tried again 5 minutes and an hour later, and every 6 hours after that.',
    }),
    stuckReason: t.exposeString('stuckReason', { nullable: true, description: 'Why it cannot be returned.' }),
    balances: t.expose('balances', {
      type: [DepositBalanceRef],
      complexity: { field: 1, multiplier: 1 },
      description: 'Everything that arrived, by token; also what was sent in a wrong one. Registered tokens only.',
    }),
  }),
});

builder.prismaObjectFields(PaymentIntentRef, (t) => ({
  transfer: t.field({
    type: PaymentTransferRef,
    nullable: true,
    complexity: { field: 1, multiplier: 1 },
    description:
      'The plain transfer that pays it, or that the payer was asked for last; null where none was, or where it was paid in another way and nothing arrived.',
    select: { deposits: transfers, acceptedTermsHash: true, authorizationChainId: true },
    resolve: (intent) => shownDeposit(intent, intent.deposits),
  }),
  transfers: t.field({
    type: [PaymentTransferRef],
    complexity: { field: 1, multiplier: 5 },
    description: 'Every deposit address that it was given, oldest first, at most 20.',
    select: { deposits: transfers },
    resolve: (intent) => intent.deposits,
  }),
}));
