/**
 * Who is calling. Every query of a merchant's data is scoped by one of these.
 *
 * - `apiKey`: a key of one app. SECRET may do everything for its app, or what its scopes name; PUBLISHABLE may read prices only.
 * - `session`: a payer with a checkout session's client secret; that session and nothing else.
 * - `member`: a person of a merchant, logged in to the dashboard, over all apps of the merchant.
 * - `card`: a wallet user with a token of the card API.
 * - `payer`: a wallet that proved itself, which may read what it paid, across merchants.
 * - `platform`: an operator of the installation, or an arbiter.
 * - `anonymous`: nobody.
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
      /** What a restricted key may do; null: everything that its kind may. */
      scopes: readonly KeyScope[] | null;
      /** In CIDR notation, as they were when the caller was admitted; empty if any network is allowed. */
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
      /** May look after the whole installation too. */
      isOperator: boolean;
      tokenId: string;
      /** The login, which logout ends. */
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
      /** The one chain that a contract wallet proved itself on; null: all, for its key did. */
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
 * Whether anybody can become such a caller at no cost: nobody in particular, a payer with a session or a wallet, a user of
 * the card API. What they may hold is counted by address.
 */
export function isStranger(principal: Principal): boolean {
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

/** What a caller may touch of the payments API: one merchant, and one app of it or all. */
export type Scope = { merchantId: string; appId: string | null };
