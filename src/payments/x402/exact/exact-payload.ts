import { z } from 'zod';
import type { SignedAuthorization } from '../../../chains/evm/transfer-authorization.ts';
import { hex } from './exact-authorization.ts';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'an address of 20 bytes in hex');
const bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/, '32 bytes in hex');
const MAX_UINT256 = 2n ** 256n - 1n;
const uint256 = z
  .string()
  .regex(/^\d{1,78}$/, 'a whole number of at most 78 digits')
  .refine((text) => BigInt(text) <= MAX_UINT256, 'at most 2^256 - 1');
/** Far more than any account's contract accepts. */
const SIGNATURE_DIGITS = 8192;

/** The `payload` of a payment by `exact` with ERC-3009. */
export const exactPayloadSchema = z.object({
  authorization: z.object({
    from: address,
    to: address,
    value: uint256,
    validAfter: uint256,
    validBefore: uint256,
    nonce: bytes32,
  }),
  signature: z
    .string()
    .regex(/^0x([0-9a-fA-F]{2})+$/, 'bytes in hex')
    .max(SIGNATURE_DIGITS, `at most ${SIGNATURE_DIGITS} characters`),
});
export type ExactPayload = z.infer<typeof exactPayloadSchema>;

export function signedAuthorization({ authorization }: ExactPayload): SignedAuthorization {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return {
    from: hex(from),
    to: hex(to),
    value: BigInt(value),
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce: hex(nonce),
  };
}
