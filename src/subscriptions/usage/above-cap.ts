/**
 * The part of an invoice's usage that exceeds what the payer has signed for a period. It is removed from the invoice, line by line, and
 * charged by another one. Both have their share of a discount, and sum exactly to the usage.
 */
import { Decimal } from 'decimal.js';
import { quoteAmount } from '../../prices/quote.ts';
import { type RenewalBill, type RenewalLine, settledBill } from '../renewal/renewal-lines.ts';

/** The value in USD of one unit of the invoice's currency and of the token. */
export type CapRates = { fiatUsd: Decimal; tokenUsd: Decimal; decimals: number };

export type SplitBill = {
  /** What is charged within the cap. */
  within: RenewalBill;
  /** What is taken off, as negative lines of the first invoice. */
  takenOff: RenewalLine[];
  /** The same as positive lines of the other invoice. */
  above: RenewalBill;
};

/** A split invoice takes this share of the cap, so that a price that moves until the charge does not bring it above the cap. */
const SHARE_OF_CAP = new Decimal('0.99');
const MINOR_DIGITS = 2;

/** `cap` is in base units. Null if the bill is within the cap, or has no usage that could be taken off. */
export function splitAboveCap(bill: RenewalBill, { cap, rates }: { cap: bigint; rates: CapRates }): SplitBill | null {
  const { cryptoAmount } = quoteAmount({ ...rates, amount: bill.total.total });
  if (cryptoAmount <= cap) return null;
  const usage = bill.lines.filter((line) => line.usage !== null);
  const ofUsage = usage.reduce((sum, { taxed }) => sum.plus(taxed.gross), new Decimal(0));
  let remaining = Decimal.min(bill.total.total.minus(largestWithin(cap, rates)), ofUsage);
  const above: RenewalLine[] = [];
  for (const line of usage.toReversed()) {
    const gross = Decimal.min(remaining, line.taxed.gross);
    if (gross.lte(0)) continue;
    above.push(partOf(line, gross));
    remaining = remaining.minus(gross);
  }
  if (above.length === 0) return null;
  const takenOff = above.map(negated);
  return { within: settledBill([...bill.lines, ...takenOff]), takenOff, above: settledBill(above) };
}

/** The largest amount of the currency that costs at most the share of the cap. */
function largestWithin(cap: bigint, { fiatUsd, tokenUsd, decimals }: CapRates): Decimal {
  const tokens = new Decimal(cap.toString()).times(SHARE_OF_CAP).div(new Decimal(10).pow(decimals));
  return tokens.times(tokenUsd).div(fiatUsd).toDecimalPlaces(MINOR_DIGITS, Decimal.ROUND_DOWN);
}

function partOf(line: RenewalLine, gross: Decimal): RenewalLine {
  const { taxed } = line;
  const taxAmount = taxed.taxAmount.times(gross).div(taxed.gross).toDecimalPlaces(MINOR_DIGITS, Decimal.ROUND_HALF_UP);
  const net = gross.minus(taxAmount);
  const priced = isInclusive(line) ? gross : net;
  const discountAmount = line.discountAmount
    .times(priced)
    .div(line.amount.minus(line.discountAmount))
    .toDecimalPlaces(MINOR_DIGITS, Decimal.ROUND_HALF_UP);
  return {
    ...line,
    description: `Above the signed limit: ${line.description}`,
    amount: priced.plus(discountAmount),
    discountAmount,
    taxed: { net, taxAmount, gross },
    usage: line.usage && { ...line.usage, isAboveCap: true },
  };
}

/** Whether the line's amount includes its tax. Without tax both are the same. */
export function isInclusive({ amount, discountAmount, taxed }: RenewalLine): boolean {
  return amount.minus(discountAmount).eq(taxed.gross);
}

function negated(line: RenewalLine): RenewalLine {
  const { net, taxAmount, gross } = line.taxed;
  return {
    ...line,
    amount: line.amount.negated(),
    discountAmount: line.discountAmount.negated(),
    taxed: { net: net.negated(), taxAmount: taxAmount.negated(), gross: gross.negated() },
  };
}
