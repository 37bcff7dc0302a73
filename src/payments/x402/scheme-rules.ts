import { escrowScheme } from './escrow/escrow-scheme.ts';
import { exactScheme } from './exact/exact-scheme.ts';
import { type X402Scheme, x402Schemes } from './x402-types.ts';
import type { SchemeRules } from './x402-world.ts';

const rules: { [Scheme in X402Scheme]: SchemeRules } = { exact: exactScheme, escrow: escrowScheme };

/** The rules of a scheme, or null for one that is not served. */
export function rulesOf(scheme: string): SchemeRules | null {
  const known = x402Schemes.find((one) => one === scheme);
  return known ? rules[known] : null;
}
