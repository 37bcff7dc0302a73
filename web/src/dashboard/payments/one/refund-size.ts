/** The amounts that a refund returns and leaves, computed as in the API: in base units, with percentages rounded down. */

export type RefundChoice = { kind: 'all' } | { kind: 'amount'; text: string } | { kind: 'percent'; text: string };

export type RefundPlan =
  | { isGood: true; units: bigint; remainingAfter: bigint; input: { amount?: string; percent?: number } }
  | { isGood: false; fault: 'empty' | 'noNumber' | 'tooFine' | 'nothing' | 'tooMuch' | 'percentRange' };

/** `remaining` is in base units of a token with `decimals`. The texts are decimals with a point or a comma. */
export function planRefund(
  choice: RefundChoice,
  { remaining, decimals }: { remaining: bigint; decimals: number },
): RefundPlan {
  switch (choice.kind) {
    case 'all':
      return remaining > 0n
        ? { isGood: true, units: remaining, remainingAfter: 0n, input: {} }
        : { isGood: false, fault: 'nothing' };
    case 'amount': {
      const units = parseUnits(choice.text, decimals);
      if (typeof units === 'string') return { isGood: false, fault: units };
      if (units === 0n) return { isGood: false, fault: 'nothing' };
      if (units > remaining) return { isGood: false, fault: 'tooMuch' };
      return { isGood: true, units, remainingAfter: remaining - units, input: { amount: String(units) } };
    }
    case 'percent': {
      const text = normal(choice.text);
      if (text === '') return { isGood: false, fault: 'empty' };
      if (!/^(0|[1-9]\d{0,2})(\.\d{1,6})?$/.test(text)) return { isGood: false, fault: 'noNumber' };
      const scaled = parseUnits(text, 6);
      if (typeof scaled === 'string') return { isGood: false, fault: scaled };
      if (scaled < 1_000_000n || scaled > 100_000_000n) return { isGood: false, fault: 'percentRange' };
      const units = (remaining * scaled) / 100_000_000n;
      if (units === 0n) return { isGood: false, fault: 'nothing' };
      // The API accepts a percentage as a number, because it is not an amount. It has at most six decimals.
      return { isGood: true, units, remainingAfter: remaining - units, input: { percent: Number(text) } };
    }
    default:
      return choice satisfies never;
  }
}

/** Base units of a decimal text, or the fault if it is not a decimal or has more decimals than the token. */
export function parseUnits(given: string, decimals: number): bigint | 'empty' | 'noNumber' | 'tooFine' {
  const text = normal(given);
  if (text === '') return 'empty';
  const [, whole, fraction = ''] = /^(0|[1-9]\d{0,59})(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === undefined) return 'noNumber';
  const meant = fraction.replace(/0+$/, '');
  if (meant.length > decimals) return 'tooFine';
  return BigInt(whole + meant.padEnd(decimals, '0'));
}

function normal(text: string): string {
  return text.trim().replace(',', '.');
}
