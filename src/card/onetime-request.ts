/**
 * A onetime request: one thing to be signed by one account, shown to its holder with a summary, then approved with a signature or
 * rejected.
 *
 * ```
 * PENDING ──APPROVE, the signature verified──► SIGNED
 *    ├─────REJECT──────────────────────────► REJECTED
 *    └─────time──► reported as EXPIRED
 * ```
 *
 * Repeating the same decision returns the first result. Authority: the account's signature. The service never holds a user's key.
 */
import type { OnetimeRequest } from '../../prisma/client.ts';
import type { Namespace } from '../chains/account-id.ts';

export type ReportedStatus = OnetimeRequest['status'] | 'EXPIRED';

/** The supported signing methods, under the names that wallets use. Methods with `enabled` false are listed but rejected. */
export const signingMethods = [
  { namespace: 'eip155', method: 'personal_sign', resultEncoding: 'hex', enabled: true },
  { namespace: 'eip155', method: 'eth_signTypedData_v4', resultEncoding: 'hex', enabled: true },
  { namespace: 'eip155', method: 'eth_sendTransaction', resultEncoding: 'hex', enabled: true },
  { namespace: 'eip155', method: 'eth_sign', resultEncoding: 'hex', enabled: false },
  { namespace: 'solana', method: 'solana_signMessage', resultEncoding: 'base58', enabled: true },
  { namespace: 'solana', method: 'solana_signTransaction', resultEncoding: 'base64', enabled: true },
  { namespace: 'sui', method: 'sui_signPersonalMessage', resultEncoding: 'base64', enabled: true },
] as const satisfies readonly { namespace: Namespace; method: string; resultEncoding: string; enabled: boolean }[];

export type SigningMethod = (typeof signingMethods)[number];

/** A request is valid for 5 minutes unless it specifies a shorter time. Its token is never valid for longer. */
export const LONGEST_REQUEST_SECONDS = 300;
export const SIGNATURE_LENGTH = 20_000;
/** The maximum size of `params` as JSON. */
export const PARAMS_BYTES = 64 * 1024;

export function reportedStatus(request: Pick<OnetimeRequest, 'status' | 'expiresAt'>, now: Date): ReportedStatus {
  return request.status === 'PENDING' && request.expiresAt <= now ? 'EXPIRED' : request.status;
}
