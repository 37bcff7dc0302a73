/** A content coding of responses. */
export type Encoding = 'br' | 'gzip';

export type EncodingChoice = {
  /** Undefined if the body is sent unencoded. */
  encoding: Encoding | undefined;
  /** Whether the client refuses an unencoded body, however short it is. */
  refusesPlain: boolean;
};

const noHeader: EncodingChoice = { encoding: undefined, refusesPlain: false };

/**
 * Chooses the coding of `offered` with the highest weight in `Accept-Encoding` (RFC 9110, section 12.5.3), or the earlier one of equal
 * weight. Chooses none without the header, or if `identity` is named with a higher weight.
 */
export function chooseEncoding(header: string | undefined, offered: readonly Encoding[]): EncodingChoice {
  if (header === undefined || header === '') return noHeader;
  const weights = parseWeights(header);
  const star = weights.get('*');
  const plain = weights.get('identity');
  let encoding: Encoding | undefined;
  let highest = 0;
  for (const one of offered) {
    const weight = weights.get(one) ?? star ?? 0;
    if (weight <= highest) continue;
    encoding = one;
    highest = weight;
  }
  const prefersPlain = plain !== undefined && plain > highest;
  return { encoding: prefersPlain ? undefined : encoding, refusesPlain: (plain ?? star) === 0 };
}

function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.split(',')) {
    const [coding = '', ...parameters] = item.split(';');
    const name = coding.trim().toLowerCase();
    if (name !== '') weights.set(name, weightOf(parameters));
  }
  return weights;
}

/** Returns 1 if no weight is given, and 0 for a malformed weight. */
function weightOf(parameters: string[]): number {
  const [weight] = parameters.flatMap((parameter) => /^\s*q\s*=\s*(.*?)\s*$/i.exec(parameter)?.[1] ?? []);
  if (weight === undefined) return 1;
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
}
