/**
 * Bearer tokens are JWTs (ES256) with iss, aud, sub, iat, exp, jti and a `kid`. The audience is the kind of the token, and a token of one
 * kind is rejected wherever another kind is required.
 *
 * | audience | holder | `sub` | lifetime | ends early |
 * |---|---|---|---|---|
 * | `card` | a wallet user | the user | 1 h | – |
 * | `session-connect` | a client of a user | the user; `sid` is the session | 24 h | when the session is revoked |
 * | `onetime-connect` | the signer of one request | the user; `rid` is the request | 5 min | – (it decides once, and then reads its decision) |
 * | `dashboard` | a member of a merchant | the member; `sid` is the login | 1 h | at logout, or when the member is removed |
 * | `payer` | a payer's wallet | the address; `chain` if a contract signed | 30 min | – (it reads the data of that wallet) |
 *
 * The signing keys determine the issuer, and the rows of sessions and members whether the token is still valid.
 */
import { z } from 'zod';

export const audiences = ['card', 'session-connect', 'onetime-connect', 'dashboard', 'payer'] as const;
export type Audience = (typeof audiences)[number];

export const TOKEN_ALGORITHM = 'ES256';

export const tokenSeconds = {
  card: 3600,
  'session-connect': 86_400,
  'onetime-connect': 300,
  dashboard: 3600,
  payer: 1800,
} as const satisfies Record<Audience, number>;

/** How long a key verifies after it has stopped signing. No token is valid for longer. */
export const LONGEST_TOKEN_SECONDS = 86_400;

/** The claims of a token, except its times, by kind. */
export type TokenSubject =
  | { audience: 'card'; userId: string }
  | { audience: 'session-connect'; userId: string; sessionId: string }
  | { audience: 'onetime-connect'; userId: string; requestId: string }
  | { audience: 'dashboard'; memberId: string; sessionId: string }
  | { audience: 'payer'; wallet: string; chainId: number | null };

const times = { jti: z.uuid(), exp: z.int(), iat: z.int() };
const common = { sub: z.uuid(), ...times };

/** The claims of a verified token, by its audience. */
export const claimsSchema = z.discriminatedUnion('aud', [
  z.object({ aud: z.literal('card'), ...common }),
  z.object({ aud: z.literal('session-connect'), ...common, sid: z.uuid() }),
  z.object({ aud: z.literal('onetime-connect'), ...common, rid: z.uuid() }),
  z.object({ aud: z.literal('dashboard'), ...common, sid: z.uuid() }),
  z.object({
    aud: z.literal('payer'),
    sub: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
    ...times,
    chain: z
      .string()
      .regex(/^\d{1,10}$/)
      .optional(),
  }),
]);
export type TokenClaims = z.infer<typeof claimsSchema>;

/** Returns `sub` and the other claims that identify the subject. */
export function claimsOf(subject: TokenSubject): { sub: string; extra: Record<string, string> } {
  switch (subject.audience) {
    case 'card':
      return { sub: subject.userId, extra: {} };
    case 'session-connect':
      return { sub: subject.userId, extra: { sid: subject.sessionId } };
    case 'onetime-connect':
      return { sub: subject.userId, extra: { rid: subject.requestId } };
    case 'dashboard':
      return { sub: subject.memberId, extra: { sid: subject.sessionId } };
    case 'payer':
      return { sub: subject.wallet, extra: subject.chainId === null ? {} : { chain: String(subject.chainId) } };
    default:
      return subject satisfies never;
  }
}
