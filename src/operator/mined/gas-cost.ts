/**
 * What the gas of a transaction costs the key that sent it.
 *
 * - cost: `effectiveGasPrice` × `gasUsed` of the receipt, and on rollups that charge it separately, the fee for the data on layer 1.
 *   It is in base units of the chain's coin, and is paid whether the transaction succeeds or reverts.
 * - share: the part of a batch's cost that one of its items bears. The shares of a batch sum to its cost.
 * - price: that of the coin when the receipt was evaluated. Costs are not revalued later.
 */
import { Decimal } from 'decimal.js';
import { type Hex, isHex, type TransactionReceipt } from 'viem';

/**
 * The cost of a transaction of the queue, or the share of an item of a batch. `transactionId` is the transaction row of the payment, if it
 * belongs to one. `usd` is null if the coin had no price.
 */
export type GasPaid = {
  outgoingId: string;
  purpose: string;
  transactionId: string | null;
  wei: bigint;
  usd: Decimal | null;
};

/** USD for one whole coin of a chain, and the decimals of the coin. */
export type CoinPrice = { priceUsd: Decimal; decimals: number };

/** Larger costs do not occur: the response of the node is wrong. */
const LARGEST_COST_WEI = 10n ** 30n;
const USD_DIGITS = 18;

const Exact = Decimal.clone({ precision: 80 });

/** Returns null if the node does not return the price of the gas, or returns an impossible one. */
export function gasCostWei(receipt: TransactionReceipt & { l1Fee?: unknown }): bigint | null {
  const { effectiveGasPrice, gasUsed, l1Fee } = receipt;
  // Some nodes of old chains do not return it, although its type does not allow that.
  if (typeof effectiveGasPrice !== 'bigint') return null;
  const cost = effectiveGasPrice * gasUsed + layer1Fee(l1Fee);
  return cost > LARGEST_COST_WEI ? null : cost;
}

/** A client that does not know the chain returns the fee as the node printed it. */
function layer1Fee(fee: unknown): bigint {
  if (typeof fee === 'bigint') return fee;
  return isQuantity(fee) ? BigInt(fee) : 0n;
}

function isQuantity(value: unknown): value is Hex {
  return isHex(value) && value.length > 2;
}

/** Splits a cost into equal shares. The first ones bear what is left over. */
export function shareCost(wei: bigint, count: number): bigint[] {
  const share = wei / BigInt(Math.max(count, 1));
  const remainder = wei - share * BigInt(count);
  return Array.from({ length: count }, (_, index) => share + (BigInt(index) < remainder ? 1n : 0n));
}

/** Rounds half up to 18 decimal places. */
export function costUsd(wei: bigint, { priceUsd, decimals }: CoinPrice): Decimal {
  return new Exact(wei.toString())
    .times(priceUsd)
    .div(new Exact(10).pow(decimals))
    .toDecimalPlaces(USD_DIGITS, Decimal.ROUND_HALF_UP);
}
