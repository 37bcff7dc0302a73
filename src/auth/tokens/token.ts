/**
 * Bearer tokens: JWTs (ES256) with iss, aud, sub, iat, exp, jti and a `kid`. The audience is the token's kind, and a token
 * of one kind is refused wherever another is asked for.
 *
 * | audience | holder | `sub` | lives | ends early when |
 * |---|---|---|---|---|
 * | `card` | a wallet user | the user | 1 h | – |
 * | `session-connect` | a client of a user | the user; `sid` the session | 24 h | the session is revoked |
 * | `onetime-connect` | whoever signs one request | the user; `rid` the request | 5 min | – (it decides once, and then reads what it decided) |
 * | `dashboard` | a member of a merchant | the member; `sid` the login | 1 h | logout, or the member is removed |
 * | `payer` | a payer's wallet | the address; `chain` where a contract signed | 30 min | – (it reads that wallet's things) |
 *
 * Authority: the signing keys for who issued it, the rows of sessions and members for whether it still counts.
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

/** How long a key that signs no more still verifies: no token lives longer. */
export const LONGEST_TOKEN_SECONDS = 86_400;

/** What a token claims beside its times, by kind. */
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

/** `sub` and what else names the subject. */
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
