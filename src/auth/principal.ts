/**
 * The caller. Every query of a merchant's data is scoped by one of these.
 *
 * - `apiKey`: a key of one app. SECRET may do everything for its app, or what its scopes allow. PUBLISHABLE may only read prices.
 * - `session`: a payer with the client secret of a checkout session, limited to that session.
 * - `member`: a person of a merchant who is logged in to the dashboard, for all apps of the merchant.
 * - `card`: a wallet user with a token of the card API.
 * - `payer`: a wallet that has proved its ownership and may read its own payments to all merchants.
 * - `platform`: an operator of the installation, or an arbiter.
 * - `anonymous`: a caller without credentials.
 */
import type { KeyScope } from './keys/key-scope.ts';

export type Principal =
  | { kind: 'anonymous' }
  | {
      kind: 'apiKey';
      keyKind: 'SECRET' | 'PUBLISHABLE';
      apiKeyId: string;
      /** SHA-256 of the key, in base64. */
      keyHash: string;
      appId: string;
      merchantId: string;
      mode: 'TEST' | 'LIVE';
      /** The scopes of a restricted key. Null if the key may do everything that its kind allows. */
      scopes: readonly KeyScope[] | null;
      /** In CIDR notation, as of the authentication. Empty if any network is allowed. */
      allowedNetworks: readonly string[];
    }
  | {
      kind: 'session';
      sessionId: string;
      appId: string;
      merchantId: string;
      /** SHA-256 of the client secret. */
      secretHash: Uint8Array<ArrayBuffer>;
    }
  | {
      kind: 'member';
      memberId: string;
      merchantId: string;
      role: 'OWNER' | 'DEVELOPER' | 'VIEWER';
      /** Whether the member also operates the whole installation. */
      isOperator: boolean;
      tokenId: string;
      /** The login, which ends with a logout. */
      sessionId: string;
      expiresAt: Date;
    }
  | {
      kind: 'card';
      audience: 'card' | 'session-connect' | 'onetime-connect';
      userId: string;
      tokenId: string;
      /** The user, the session or the request that the token is for. */
      subjectId: string;
      expiresAt: Date;
    }
  | {
      kind: 'payer';
      /** Checksummed. */
      wallet: string;
      /** The only chain on which a contract wallet proved its ownership. Null for a wallet with a key, which is the same on all chains. */
      chainId: number | null;
      tokenId: string;
      expiresAt: Date;
    }
  | {
      kind: 'platform';
      role: 'OPERATOR' | 'ARBITER';
      credentialId: string;
      /** SHA-256 of the credential, in base64. */
      keyHash: string;
    };

/**
 * Whether anyone can become such a caller at no cost: an anonymous caller, a payer with a session or a wallet, or a user of the card API.
 * Limits for them apply per network address.
 */
export function isPublicCaller(principal: Principal): boolean {
  switch (principal.kind) {
    case 'apiKey':
    case 'member':
    case 'platform':
      return false;
    case 'session':
    case 'payer':
    case 'card':
    case 'anonymous':
      return true;
    default:
      return principal satisfies never;
  }
}

/** What a caller may access in the payments API: one merchant, and one of its apps or all. */
export type Scope = { merchantId: string; appId: string | null };
