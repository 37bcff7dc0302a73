/** Prints a payment's balances as a table, and whether they add up. */
import { formatUnits } from 'viem';
import { balanceFaults, gains, type Party } from './balances.ts';
import type { Payment } from './pay-by-method.ts';

const rows: [Party, string][] = [
  ['payer', 'payer'],
  ['escrow', 'escrow'],
  ['merchant', 'merchant'],
  ['feeRecipient', 'fee recipient'],
];

/** Amounts are in whole tokens. */
export function printPayment(payment: Payment): string {
  const { before, after, token } = payment;
  const gained = gains(before, after);
  const print = (units: bigint) => formatUnits(units, token.decimals).padStart(18);
  const lines = rows.map(
    ([party, name]) => `  ${name.padEnd(14)}${print(before[party])}${print(after[party])}${print(gained[party])}`,
  );
  const faults = balanceFaults(gained, payment.paid);
  const sum = `${formatUnits(-gained.payer, token.decimals)} = ${formatUnits(gained.merchant, token.decimals)} + ${formatUnits(gained.feeRecipient, token.decimals)}`;
  const verdict = faults.length === 0 ? `The balances agree: ${sum} ${token.symbol}.` : faults.join('\n  ');
  const head = `  ${token.key.padEnd(14)}${'before'.padStart(18)}${'after'.padStart(18)}${'gained'.padStart(18)}`;
  return `${head}\n${lines.join('\n')}\n  ${verdict}`;
}
