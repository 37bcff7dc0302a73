/**
 * Whether a caller who was authenticated before is still who they were. Over a websocket the credential is shown once, and
 * an HTTP body may come long after its headers; meanwhile any process may have ended the credential. Every operation over a
 * websocket is judged by `renewPrincipal` when it begins, every transaction that writes by `demandCredential` when it begins.
 *
 * One statement by a primary key; none for a token that nothing but its time ends.
 */
import type { Database, DatabaseTransaction } from '../../prisma/client.ts';
import { GatewayError } from '../errors.ts';
import type { Principal } from './principal.ts';

type Reader = Database | DatabaseTransaction;
type Member = Extract<Principal, { kind: 'member' }>;

/** From what may do least to what may do most; each may do all that those before it may. */
const ranks: readonly Member['role'][] = ['VIEWER', 'DEVELOPER', 'OWNER'];

/**
 * The caller as of now: a member with the present role. Throws AUTHENTICATION_ERROR for a credential that was revoked, has
 * expired or is gone. `now` is real time.
 */
export async function renewPrincipal(reader: Reader, principal: Principal, now: Date): Promise<Principal> {
  switch (principal.kind) {
    case 'apiKey':
      await demandKey(reader, principal, now);
      return principal;
    case 'member':
      demandTime(principal, now);
      return { ...principal, ...(await presentMember(reader, principal, now)) };
    case 'platform':
      await demandPlatformCredential(reader, principal);
      return principal;
    case 'card':
      demandTime(principal, now);
      if (principal.audience === 'session-connect') await demandCardSession(reader, principal, now);
      return principal;
    case 'session':
      await demandSession(reader, principal);
      return principal;
    case 'payer':
      demandTime(principal, now);
      return principal;
    case 'anonymous':
      return principal;
    default:
      return principal satisfies never;
  }
}

/**
 * Throws AUTHENTICATION_ERROR as `renewPrincipal` does, and AUTHORIZATION_ERROR for a member who may do less by now than
 * when the call was judged.
 */
export async function demandCredential(reader: Reader, principal: Principal, now: Date): Promise<void> {
  const present = await renewPrincipal(reader, principal, now);
  if (principal.kind === 'member' && present.kind === 'member' && isLowered(principal, present)) {
    throw new GatewayError('AUTHORIZATION_ERROR', 'This credential may not do this any more.');
  }
}

function isLowered(before: Member, present: Member): boolean {
  return ranks.indexOf(present.role) < ranks.indexOf(before.role) || (before.isOperator && !present.isOperator);
}

async function demandKey(
  reader: Reader,
  { apiKeyId, appId, keyKind }: Extract<Principal, { kind: 'apiKey' }>,
  now: Date,
): Promise<void> {
  const [key] = await reader.$queryRaw<{ revoked_at: Date | null; expires_at: Date | null }[]>`
    SELECT revoked_at, expires_at FROM api_key
    WHERE id = ${apiKeyId}::uuid AND app_id = ${appId}::uuid AND kind::text = ${keyKind}`;
  if (!key) throw refused('The API key is not valid.');
  if (key.revoked_at !== null) throw refused('The API key is revoked.');
  if (key.expires_at !== null && key.expires_at <= now) throw refused('The API key has expired.');
}

async function presentMember(
  reader: Reader,
  { memberId, merchantId, sessionId }: Member,
  now: Date,
): Promise<Pick<Member, 'role' | 'isOperator'>> {
  const [present] = await reader.$queryRaw<Pick<Member, 'role' | 'isOperator'>[]>`
    SELECT member.role::text AS role, member.is_operator AS "isOperator"
    FROM member_session login JOIN member ON member.id = login.member_id
    WHERE login.id = ${sessionId}::uuid AND member.id = ${memberId}::uuid AND member.merchant_id = ${merchantId}::uuid
      AND login.revoked_at IS NULL AND login.expires_at > ${now} AND member.removed_at IS NULL`;
  if (!present) throw refused('The login has ended.');
  return present;
}

async function demandPlatformCredential(
  reader: Reader,
  { credentialId, role }: Extract<Principal, { kind: 'platform' }>,
): Promise<void> {
  const found = await reader.$queryRaw<unknown[]>`
    SELECT 1 AS good FROM platform_credential
    WHERE id = ${credentialId}::uuid AND role::text = ${role} AND revoked_at IS NULL`;
  if (found.length === 0) throw refused('The credential is revoked.');
}

async function demandCardSession(
  reader: Reader,
  { subjectId, userId }: Extract<Principal, { kind: 'card' }>,
  now: Date,
): Promise<void> {
  const found = await reader.$queryRaw<unknown[]>`
    SELECT 1 AS good FROM card_session
    WHERE id = ${subjectId}::uuid AND user_id = ${userId}::uuid AND revoked_at IS NULL AND expires_at > ${now}`;
  if (found.length === 0) throw refused('The session has ended.');
}

async function demandSession(
  reader: Reader,
  { sessionId, appId, secretHash }: Extract<Principal, { kind: 'session' }>,
): Promise<void> {
  const found = await reader.$queryRaw<unknown[]>`
    SELECT 1 AS good FROM checkout_session
    WHERE id = ${sessionId}::uuid AND app_id = ${appId}::uuid AND client_secret_hash = ${secretHash}`;
  if (found.length === 0) throw refused('The client secret is not valid.');
}

function demandTime({ expiresAt }: { expiresAt: Date }, now: Date): void {
  if (expiresAt <= now) throw refused('The token has expired.');
}

function refused(message: string): GatewayError {
  return new GatewayError('AUTHENTICATION_ERROR', message);
}
