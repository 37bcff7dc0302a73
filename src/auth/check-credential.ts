/**
 * Checks whether the credential of an authenticated caller is still valid. A WebSocket presents its credential once, and an HTTP body may
 * arrive long after its headers; in the meantime, any process may have revoked the credential. `renewPrincipal` checks every operation of
 * a WebSocket when it begins, and `requireCredential` every writing transaction when it begins.
 *
 * A check takes one statement by primary key, or none for a token that only ends by expiry.
 */
import { type Database, Prisma } from '../../prisma/client.ts';
import type { WriteCheck } from '../../prisma/guarded-database.ts';
import { GatewayError } from '../errors.ts';
import { scopesOfKey } from './keys/key-scope.ts';
import type { Principal } from './principal.ts';

type Row = Record<string, unknown> | null;
type Member = Extract<Principal, { kind: 'member' }>;

/** The query that reads a caller's credential (at most one row; null if nothing needs to be read), and the caller by that row. */
type Renewal = { query: Prisma.Sql | null; renew: (row: Row) => Principal };

/** Roles in ascending order. Each role includes the rights of those before it. */
const ranks: readonly Member['role'][] = ['VIEWER', 'DEVELOPER', 'OWNER'];

/**
 * Returns the caller as of now; a member has the current role. Throws AUTHENTICATION_ERROR for a credential that was revoked, has expired
 * or no longer exists, and AUTHORIZATION_ERROR for a key whose rights differ from those at authentication. `now` is real time.
 */
export async function renewPrincipal(database: Database, principal: Principal, now: Date): Promise<Principal> {
  const { query, renew } = renewalOf(principal, now);
  const rows = query ? await database.$queryRaw<Record<string, unknown>[]>(query) : [];
  return renew(rows[0] ?? null);
}

/**
 * Returns the check for a writing transaction. It throws AUTHENTICATION_ERROR as `renewPrincipal` does, and AUTHORIZATION_ERROR for a
 * member who has fewer rights than when the call was authorized. `now` is real time.
 */
export function requireCredential(principal: Principal, now: Date): WriteCheck {
  const { query, renew } = renewalOf(principal, now);
  return {
    query,
    verify(row) {
      const present = renew(row);
      if (principal.kind === 'member' && present.kind === 'member' && isLowered(principal, present)) throw lowered();
    },
  };
}

function isLowered(before: Member, present: Member): boolean {
  return ranks.indexOf(present.role) < ranks.indexOf(before.role) || (before.isOperator && !present.isOperator);
}

function renewalOf(principal: Principal, now: Date): Renewal {
  switch (principal.kind) {
    case 'apiKey':
      return keyRenewal(principal, now);
    case 'member':
      return memberRenewal(principal, now);
    case 'platform':
      return wherePresent(principal, {
        query: Prisma.sql`
          SELECT true AS is_good FROM platform_credential
          WHERE id = ${principal.credentialId}::uuid AND role::text = ${principal.role} AND revoked_at IS NULL
            AND key_hash = decode(${principal.keyHash}, 'base64')`,
        otherwise: 'The credential is revoked.',
      });
    case 'card':
      return cardRenewal(principal, now);
    case 'session':
      return wherePresent(principal, {
        query: Prisma.sql`
          SELECT true AS is_good FROM checkout_session AS session JOIN app ON app.id = session.app_id
          WHERE session.id = ${principal.sessionId}::uuid AND app.id = ${principal.appId}::uuid
            AND session.client_secret_hash = ${principal.secretHash} AND app.merchant_id = ${principal.merchantId}::uuid`,
        otherwise: 'The client secret is not valid.',
      });
    case 'payer':
      return whileItLasts(principal, now);
    case 'anonymous':
      return { query: null, renew: () => principal };
    default:
      return principal satisfies never;
  }
}

function keyRenewal(principal: Extract<Principal, { kind: 'apiKey' }>, now: Date): Renewal {
  const { apiKeyId, keyHash, appId, merchantId, mode, keyKind, scopes, allowedNetworks } = principal;
  return {
    query: Prisma.sql`
      SELECT revoked_at IS NOT NULL AS is_revoked, coalesce(expires_at <= ${now}::timestamptz, false) AS has_expired,
        is_restricted, scopes, allowed_networks
      FROM api_key JOIN app ON app.id = api_key.app_id
      WHERE api_key.id = ${apiKeyId}::uuid AND api_key.kind::text = ${keyKind} AND app.id = ${appId}::uuid
        AND api_key.key_hash = decode(${keyHash}, 'base64')
        AND app.merchant_id = ${merchantId}::uuid AND app.mode::text = ${mode}`,
    renew(row) {
      if (!row) throw refused('The API key is not valid.');
      if (row.is_revoked !== false) throw refused('The API key is revoked.');
      if (row.has_expired !== false) throw refused('The API key has expired.');
      const present = scopesOfKey({ isRestricted: row.is_restricted !== false, scopes: textsOf(row.scopes) });
      // No operation changes them. If they were changed in the database by hand, the caller was authorized with other rights.
      if (!isSame(present, scopes) || !isSame(textsOf(row.allowed_networks), allowedNetworks)) throw lowered();
      return principal;
    },
  };
}

function isSame(one: readonly string[] | null, other: readonly string[] | null): boolean {
  return one?.join() === other?.join();
}

function textsOf(column: unknown): string[] {
  return Array.isArray(column) ? column.map(String) : [];
}

function memberRenewal(principal: Member, now: Date): Renewal {
  const { memberId, merchantId, sessionId } = principal;
  return {
    query: Prisma.sql`
      SELECT member.role::text AS role, member.is_operator AS is_operator
      FROM member_session login JOIN member ON member.id = login.member_id
      WHERE login.id = ${sessionId}::uuid AND member.id = ${memberId}::uuid AND member.merchant_id = ${merchantId}::uuid
        AND login.revoked_at IS NULL AND login.expires_at > ${now}::timestamptz AND member.removed_at IS NULL`,
    renew(row) {
      requireTime(principal, now);
      const role = ranks.find((rank) => rank === row?.role);
      if (!role) throw refused('The login has ended.');
      return { ...principal, role, isOperator: row?.is_operator === true };
    },
  };
}

function cardRenewal(principal: Extract<Principal, { kind: 'card' }>, now: Date): Renewal {
  if (principal.audience !== 'session-connect') return whileItLasts(principal, now);
  const { query, renew } = wherePresent(principal, {
    query: Prisma.sql`
      SELECT true AS is_good FROM card_session WHERE id = ${principal.subjectId}::uuid
      AND user_id = ${principal.userId}::uuid AND revoked_at IS NULL AND expires_at > ${now}::timestamptz`,
    otherwise: 'The session has ended.',
  });
  return {
    query,
    renew(row) {
      requireTime(principal, now);
      return renew(row);
    },
  };
}

/** Renews the caller unchanged if the query finds a row. */
function wherePresent(principal: Principal, { query, otherwise }: { query: Prisma.Sql; otherwise: string }): Renewal {
  return {
    query,
    renew(row) {
      if (!row) throw refused(otherwise);
      return principal;
    },
  };
}

/** Renews the caller of a token that only ends by expiry. */
function whileItLasts(principal: Extract<Principal, { expiresAt: Date }>, now: Date): Renewal {
  return {
    query: null,
    renew() {
      requireTime(principal, now);
      return principal;
    },
  };
}

function requireTime({ expiresAt }: { expiresAt: Date }, now: Date): void {
  if (expiresAt <= now) throw refused('The token has expired.');
}

function lowered(): GatewayError {
  return new GatewayError('AUTHORIZATION_ERROR', 'This credential may no longer do this.');
}

function refused(message: string): GatewayError {
  return new GatewayError('AUTHENTICATION_ERROR', message);
}
