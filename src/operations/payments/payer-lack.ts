/**
 * Matches the errors of tokens that refuse a transfer because the wallet's allowance or balance is too low. The expression is valid in both
 * JavaScript and Postgres.
 */
export const PAYER_LACKS =
  '^(ERC20Insufficient(Allowance|Balance)|AllowanceTooLow|BalanceTooLow)\\(|(exceeds|insufficient|low)[ -]*(allowance|balance)';

const lacks = new RegExp(PAYER_LACKS, 'i');

/** Returns whether a token refused a transfer for lack of allowance or balance, according to the error message. */
export function payerLack(error: string): 'PAYER_ALLOWANCE' | 'PAYER_BALANCE' | null {
  const [found] = lacks.exec(error) ?? [];
  if (found === undefined) return null;
  return /allowance/i.test(found) ? 'PAYER_ALLOWANCE' : 'PAYER_BALANCE';
}
