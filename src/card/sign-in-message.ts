/**
 * A sign-in message (EIP-4361 for Ethereum, CAIP-122 for the other families): text that a wallet signs to prove to one client
 * that its account belongs to the holder of an access token. It is valid for one origin and one account, once, for five minutes.
 */
import type { AccountName } from '../chains/account-id.ts';

export type SignInMessage = {
  domain: string;
  address: string;
  uri: string;
  version: string;
  chainId: string;
  nonce: string;
  issuedAt: Date;
  expirationTime: Date | null;
  notBefore: Date | null;
};

export const SIGN_IN_SECONDS = 300;
export const SIGN_IN_LENGTH = 4096;
/** Tolerates a wallet's clock that is ahead of the gateway's. */
const AHEAD_SECONDS = 60;

const FIRST_LINE = /^(?:https?:\/\/)?(\S+) wants you to sign in with your \S.{0,40} account:$/;
const FIELD = /^(URI|Version|Chain ID|Nonce|Issued At|Expiration Time|Not Before|Request ID): (.+)$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Null for text that is not a sign-in message. Duplicate fields are rejected, because they are ambiguous. */
export function parseSignInMessage(text: string): SignInMessage | null {
  if (text.length > SIGN_IN_LENGTH) return null;
  const [first = '', address = '', ...rest] = text.split('\n');
  const domain = FIRST_LINE.exec(first)?.[1];
  const from = rest.findIndex((line) => line.startsWith('URI: '));
  if (domain === undefined || address === '' || from === -1) return null;
  const fields = new Map<string, string>();
  for (const line of rest.slice(from)) {
    const match = FIELD.exec(line);
    if (!match) break;
    const [, name = '', value = ''] = match;
    if (fields.has(name)) return null;
    fields.set(name, value);
  }
  const [uri, version, chainId, nonce] = ['URI', 'Version', 'Chain ID', 'Nonce'].map((name) => fields.get(name));
  const issuedAt = instant(fields.get('Issued At'));
  const expirationTime = instant(fields.get('Expiration Time'));
  const notBefore = instant(fields.get('Not Before'));
  if (!uri || !version || !chainId || !nonce || !issuedAt) return null;
  if (expirationTime === undefined && fields.has('Expiration Time')) return null;
  if (notBefore === undefined && fields.has('Not Before')) return null;
  return {
    domain,
    address,
    uri,
    version,
    chainId,
    nonce,
    issuedAt,
    expirationTime: expirationTime ?? null,
    notBefore: notBefore ?? null,
  };
}

/** Why the message does not prove the account to this client now; null if it does. The signature is checked separately. */
export function signInFault(
  message: SignInMessage,
  expected: { account: AccountName; clientOrigin: string; nonce: string; now: Date },
): string | null {
  const { account, now } = expected;
  const host = new URL(expected.clientOrigin).host;
  if (message.domain !== host) return `its domain is ${message.domain.slice(0, 100)}, not ${host}`;
  if (!isSameAddress(message.address, account)) return 'its address is not the account';
  if (message.version !== '1') return 'its version is not 1';
  if (!URL.canParse(message.uri) || new URL(message.uri).host !== host) return `its URI is not of ${host}`;
  if (message.chainId !== account.reference && message.chainId !== account.caip2)
    return "its chain is not the account's";
  if (message.nonce !== expected.nonce) return "its nonce is not the access token's jti without hyphens";
  const ageSeconds = (now.getTime() - message.issuedAt.getTime()) / 1000;
  if (ageSeconds > SIGN_IN_SECONDS) return `it was issued more than ${SIGN_IN_SECONDS} seconds ago`;
  if (ageSeconds < -AHEAD_SECONDS) return 'it was issued in the future';
  if (message.expirationTime !== null && message.expirationTime <= now) return 'it has expired';
  if (message.notBefore !== null && message.notBefore > now) return 'it is not good yet';
  return null;
}

function isSameAddress(given: string, account: AccountName): boolean {
  return account.namespace === 'solana'
    ? given === account.address
    : given.toLowerCase() === account.address.toLowerCase();
}

function instant(text: string | undefined): Date | undefined {
  if (text === undefined || !INSTANT.test(text)) return undefined;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at;
}
