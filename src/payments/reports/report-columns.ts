/** The columns of every report, in their order. Names end in the unit of the amount. */
import type { Column, ColumnType } from './report.ts';

const column =
  (type: ColumnType) =>
  (name: string, description: string): Column => ({ name, type, description });
const [amount, id, integer, text, time] = [
  column('amount'),
  column('id'),
  column('integer'),
  column('text'),
  column('time'),
];

const ofPayment = id('payment_intent_id', 'The payment intent.');
const ofChain = integer('chain_id', 'Numeric chain ID.');
const ofToken = text('token_key', 'The token of the amounts in the row.');

export const paymentColumns: readonly Column[] = [
  ofPayment,
  text('external_id', 'The identifier that the merchant gave to the payment intent.'),
  text('status', 'The status at the time of the report.'),
  time('created_at', 'Time of creation of the payment intent.'),
  text('currency', 'The currency of `amount_fiat`.'),
  amount('amount_fiat', 'The requested amount, in `currency`.'),
  integer('chain_id', 'Numeric ID of the chain on which it was paid. Empty before the authorization.'),
  text('token_key', 'The token with which it was paid, and the unit of the columns that end in `_tokens`.'),
  amount('exchange_rate_tokens_per_usd', 'Number of whole tokens per 1 USD in the quote that was paid.'),
  amount('crypto_amount_tokens', 'The amount that the payer authorized, in whole tokens.'),
  amount('crypto_amount_base_units', 'The same amount in base units.'),
  amount('held_tokens', 'The part of that amount that the escrow holds.'),
  amount(
    'returned_tokens',
    'The part that was returned to the payer by refunds, partial captures, voids and reclaims.',
  ),
  amount('settled_tokens', 'The part that was paid out to the merchant.'),
  amount('fee_tokens', 'The platform fee that was paid out.'),
  amount('undelivered_tokens', 'The part that the escrow keeps for recipients that it could not pay.'),
  amount(
    'gas_cost_usd',
    "What this installation paid for the payment's gas, in USD. Excludes transactions for whose coin no price was available.",
  ),
  integer(
    'gas_unpriced_count',
    'Number of transactions whose cost is not included in `gas_cost_usd`, because no price of the coin was available.',
  ),
  text('authorization_tx_hash', 'Hash of the authorizing transaction.'),
  text('capture_tx_hash', 'Hash of the capturing transaction.'),
  text('refund_tx_hashes', 'Hashes of the transactions of confirmed refunds, separated by spaces.'),
  text('settlement_tx_hash', 'Hash of the transaction of the settlement, or of the resolution of a dispute.'),
  time('authorized_at', 'Block time of the authorization.'),
  time('captured_at', 'Block time of the capture.'),
  time('refunded_at', 'Time at which the latest refund was confirmed.'),
  time('settled_at', 'Time of the settlement.'),
];

export const payoutColumns: readonly Column[] = [
  id('entry_id', 'The ledger entry.'),
  time('booked_at', 'Time at which the transfer was booked, which determines the period to which it belongs.'),
  time('block_time', 'Time of the block.'),
  ofPayment,
  ofChain,
  ofToken,
  text(
    'type',
    'The step that moved the amount, such as `SETTLE` or `REFUND`. `CREDIT` reverses an amount that could not be delivered, and `CLAIM` delivers it. The prefix `REVERSE_` marks a reversal by a reorganization, and the suffix `#2` a repetition.',
  ),
  text('recipient_role', '`PAYER`, `MERCHANT` or `FEE_RECIPIENT`.'),
  text('recipient_address', 'Address of the recipient in the terms of the payment.'),
  amount('amount_tokens', 'Whole tokens. Negative if the row reverses an earlier one.'),
  amount('amount_base_units', 'The same amount in base units.'),
  text('tx_hash', 'Hash of the transaction.'),
];

export const feeColumns: readonly Column[] = [
  ofPayment,
  time('created_at', 'Time of creation of the payment intent.'),
  ofChain,
  text('token_key', 'The token of `fee_tokens`. Empty if the row contains only gas.'),
  integer('platform_fee_bps', 'The platform fee in basis points (hundredths of a percent).'),
  amount('fee_tokens', 'The platform fee that was paid out, in whole tokens.'),
  amount('fee_base_units', 'The same amount in base units.'),
  text('currency', 'The currency of `fee_fiat`.'),
  amount('fee_fiat', 'The value of the fee at the price of the payment, with eight decimal places.'),
  text('gas_coin', "Symbol of the chain's coin."),
  amount('gas_cost_coin', 'What this installation paid for gas, in whole coins.'),
  amount('gas_cost_usd', 'The same in USD. Excludes transactions for whose coin no price was available.'),
  integer('gas_unpriced_count', 'Number of transactions whose cost is not included in `gas_cost_usd`.'),
];

export const balanceColumns: readonly Column[] = [
  ofChain,
  ofToken,
  amount('opening_held_tokens', 'Amount that the escrow held for the app at the start of the period.'),
  amount('received_tokens', 'Amount that payers authorized into escrow in the period.'),
  amount('returned_tokens', 'Amount returned to payers in the period.'),
  amount('settled_tokens', 'Amount paid out to the merchant in the period.'),
  amount('fee_tokens', 'Platform fees paid out in the period.'),
  amount(
    'closing_held_tokens',
    'Amount that the escrow held for the app at the end of the period, including undelivered amounts.',
  ),
  amount('closing_undelivered_tokens', 'The part of it that the escrow keeps for recipients that it could not pay.'),
  amount('closing_held_base_units', '`closing_held_tokens` in base units.'),
];

export const reconciliationColumns: readonly Column[] = [
  text(
    'row',
    '`TRANSFER`: a transfer from the escrow to a payout address. `DAY`: the sum of a day by chain, token and address. `DIFFERENCE`: a difference between the books and the chain.',
  ),
  text('day', 'The day of the block in UTC. For an entry that is not on the chain, the day of the booking.'),
  ofChain,
  ofToken,
  text('payout_address', 'The address that received the tokens.'),
  text(
    'type',
    '`SETTLE` for a settlement, `RESOLVE` for the share of a resolved dispute, `CLAIM` for the delivery of an amount that could not be paid before. In differences also `CREDIT`, for an amount that could not be paid.',
  ),
  text('payment_intent_ids', 'The payment intents, separated by spaces. Only a claim can have several.'),
  integer('block_number', 'Number of the block.'),
  time('block_time', 'Time of the block.'),
  text('tx_hash', 'Hash of the transaction.'),
  integer(
    'log_index',
    'Index of the log in the block. Together with `chain_id` and `tx_hash` it identifies the transfer.',
  ),
  amount('amount_tokens', 'The amount for the app, in whole tokens. In `DAY`, the sum of the transfers.'),
  amount(
    'amount_base_units',
    'The same amount in base units. In `DIFFERENCE`, the amount on the chain. Empty if the chain has no entry.',
  ),
  amount(
    'logged_base_units',
    'The amount in the log. It is greater than `amount_base_units` if a claim also delivered credits of other apps to the same address.',
  ),
  integer('transfer_count', 'Number of transfers of the day.'),
  amount(
    'opening_tokens',
    'The total that the address had received from the escrow for the app before the first transfer of the day.',
  ),
  amount('opening_base_units', 'The same amount in base units.'),
  amount('closing_tokens', '`opening_tokens` plus the transfers of the day.'),
  amount('closing_base_units', 'The same amount in base units.'),
  text(
    'difference',
    '`NOT_BOOKED`: the chain has it, and the books do not. `NOT_ON_CHAIN`: the books have it, and the chain does not. `AMOUNT`: both have it, with different amounts.',
  ),
  amount('booked_base_units', 'The amount in the books for this log. Empty if the books have no entry.'),
];

export const facilitatedColumns: readonly Column[] = [
  text(
    'month',
    'The month in UTC in which the payments were accepted, such as `2026-03`. Payments outside of the period are not counted.',
  ),
  text('pay_to_address', 'The address that was paid.'),
  ofChain,
  ofToken,
  integer('settled_count', 'Number of settled payments. Amounts, values and fees are theirs.'),
  integer('failed_count', 'Number of payments that failed. Nothing is billed for them.'),
  integer('pending_count', 'Number of payments whose outcome is not known yet.'),
  amount('amount_tokens', 'What was paid, in whole tokens.'),
  amount('amount_base_units', 'The same amount in base units.'),
  amount('value_usd', 'The value of the payments in USD, each at the price when it was accepted.'),
  amount('fee_tokens', 'The fees that are billed, in whole tokens. They were not deducted.'),
  amount('fee_base_units', 'The same amount in base units.'),
  amount('fee_usd', 'The same in USD, each at the price of its payment.'),
  text('gas_coin', "Symbol of the chain's coin."),
  amount(
    'gas_cost_coin',
    'What this installation paid for the gas of all payments, including failed ones, in whole coins.',
  ),
  amount('gas_cost_usd', 'The same in USD, where the coin had a price.'),
  integer('gas_unpriced_count', 'Number of transfers whose cost is not in `gas_cost_usd`.'),
];
