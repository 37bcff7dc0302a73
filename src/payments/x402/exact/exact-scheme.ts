import { invalidAnswer, refusedSettlement } from '../x402-types.ts';
import type { SchemeRules } from '../x402-world.ts';

const refusal = { reason: 'unsupported_scheme', message: 'The scheme exact is not served yet.' };

/** EIP-3009 `transferWithAuthorization` to the merchant's own address. */
export const exactScheme: SchemeRules = {
  isTaken: async () => false,
  verify: async () => invalidAnswer(refusal),
  settle: async (_world, { requirements }) => refusedSettlement(requirements.network, refusal),
};
