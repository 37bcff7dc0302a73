/** Where the money of a payment went, and what its parts were worth at the time of the payment. */
import type { PaymentStory } from './payment-steps.ts';

/** The number of decimals of the fiat amounts of payments. */
const FIAT_DIGITS = 2;

/** What base units of the payment's token were worth at its own rate, as a decimal string rounded to cents. Null before it is paid. */
export function fiatAtPayment(
  units: bigint,
  { amount, cryptoAmount }: Pick<PaymentStory, 'amount' | 'cryptoAmount'>,
): string | null {
  const paid = BigInt(cryptoAmount ?? '0');
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  if (paid === 0n || whole === undefined || fraction.replace(/0+$/, '').length > FIAT_DIGITS) return null;
  const cents = BigInt(whole + fraction.slice(0, FIAT_DIGITS).padEnd(FIAT_DIGITS, '0'));
  const worth = String((units * cents * 2n + paid) / (paid * 2n)).padStart(FIAT_DIGITS + 1, '0');
  return `${worth.slice(0, -FIAT_DIGITS)}.${worth.slice(-FIAT_DIGITS)}`;
}

type MoneyFacts = Pick<PaymentStory, 'platformFeeBps'> & {
  refunds: readonly Pick<PaymentStory['refunds'][number], 'status' | 'amount'>[];
  ledger: readonly Pick<PaymentStory['ledger'][number], 'account' | 'amount'>[];
};

/** Where the money of a payment went, in base units of its token. */
export function moneySums({ refunds, ledger }: MoneyFacts) {
  const ofRefunds = (wanted: string) =>
    refunds.reduce((sum, { status, amount }) => (status === wanted ? sum + BigInt(amount) : sum), 0n);
  const booked = (wanted: string) =>
    ledger.reduce((sum, { account, amount }) => (account === wanted ? sum + BigInt(amount) : sum), 0n);
  return {
    refunded: ofRefunds('CONFIRMED'),
    refunding: ofRefunds('PENDING'),
    fee: booked('FEE'),
    paidOut: booked('MERCHANT'),
  };
}

/** Whether a part of the payment can still be paid out, so that its fee is still to come. */
export function awaitsPayout({ status, leftoverAmount }: Pick<PaymentStory, 'status' | 'leftoverAmount'>): boolean {
  switch (status) {
    case 'CREATED':
      return true;
    case 'AUTHORIZED':
    case 'CAPTURED':
    case 'REFUND_PENDING':
      return leftoverAmount !== '0';
    case 'SETTLED':
    case 'REFUNDED':
    case 'CANCELLED':
    case 'FAILED':
      return false;
    default:
      return status satisfies never;
  }
}

type Gas = NonNullable<PaymentStory['transactions'][number]['gasCost']>;

/** What this installation paid for gas, by coin. The fiat value is in millionths of a dollar, and null where a part of it is unknown. */
export function gasSums(
  transactions: readonly { gasCost: Gas | null }[],
): { coin: string; decimals: number; units: bigint; amountUsd: string | null }[] {
  const sums = new Map<string, { coin: string; decimals: number; units: bigint; micros: bigint | null }>();
  for (const { gasCost } of transactions) {
    if (!gasCost) continue;
    const { coin, decimals, amount, amountUsd } = gasCost;
    const before = sums.get(coin) ?? { coin, decimals, units: 0n, micros: 0n };
    const micros = amountUsd === null || before.micros === null ? null : before.micros + microsOf(amountUsd);
    sums.set(coin, { ...before, units: before.units + BigInt(amount), micros });
  }
  return [...sums.values()].map(({ micros, ...sum }) => ({
    ...sum,
    amountUsd: micros === null ? null : printMicros(micros),
  }));
}

const MICROS = 6;

/** Truncated, because gas costs of less than a millionth of a dollar are negligible. */
function microsOf(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.slice(0, MICROS).padEnd(MICROS, '0'));
}

function printMicros(micros: bigint): string {
  const text = String(micros).padStart(MICROS + 1, '0');
  return `${text.slice(0, -MICROS)}.${text.slice(-MICROS)}`;
}
