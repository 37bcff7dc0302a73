/** How tokens refuse to be pulled from a wallet that allows or holds too little; a regular expression of JavaScript and of Postgres. */
export const PAYER_LACKS =
  '^(ERC20Insufficient(Allowance|Balance)|AllowanceTooLow|BalanceTooLow)\\(|(exceeds|insufficient|low)[ -]*(allowance|balance)';

const lacks = new RegExp(PAYER_LACKS, 'i');

/** Whether a token refused to be pulled because the payer's wallet allows or holds too little, by the words of its error. */
export function payerLack(error: string): 'PAYER_ALLOWANCE' | 'PAYER_BALANCE' | null {
  const [found] = lacks.exec(error) ?? [];
  if (found === undefined) return null;
  return /allowance/i.test(found) ? 'PAYER_ALLOWANCE' : 'PAYER_BALANCE';
}
