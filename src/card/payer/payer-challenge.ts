/**
 * The sign-in message (EIP-4361) of this installation that a wallet signs to see its own payments. Nothing is stored when it is
 * requested: its nonce contains an HMAC of the wallet, the chain and the time, and is accepted once.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SecretKeys } from '../../auth/tokens/secret-keys.ts';
import type { AccountName } from '../../chains/account-id.ts';
import { SIGN_IN_SECONDS } from '../sign-in-message.ts';

type Keys = Pick<SecretKeys, 'payers'>;

const RANDOM_BYTES = 12;
const NONCE = /^[0-9a-f]{64}$/;

export type PayerChallenge = { message: string; expiresAt: Date };

/** `publicUrl` is the page's address; wallets warn if a message names another host than the page's. */
export function newPayerChallenge(
  world: { secretKeys: Keys; config: { publicUrl: string } },
  request: { account: AccountName; now: Date },
): PayerChallenge {
  const { account, now } = request;
  const { publicUrl } = world.config;
  const expiresAt = new Date(now.getTime() + SIGN_IN_SECONDS * 1000);
  const random = randomBytes(RANDOM_BYTES).toString('hex');
  const message = [
    `${new URL(publicUrl).host} wants you to sign in with your Ethereum account:`,
    account.address,
    '',
    'Show me the payments, subscriptions and allowances of this wallet. This moves no money and allows nothing else.',
    '',
    `URI: ${publicUrl}/pay/${account.address}`,
    'Version: 1',
    `Chain ID: ${account.reference}`,
    `Nonce: ${random}${seal(world.secretKeys, { account, random, issuedAt: now })}`,
    `Issued At: ${now.toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
  ].join('\n');
  return { message, expiresAt };
}

/** Whether this installation issued `nonce` to this account at this time. Compares in constant time. */
export function isOwnNonce(keys: Keys, request: { account: AccountName; nonce: string; issuedAt: Date }): boolean {
  const { account, nonce, issuedAt } = request;
  if (!NONCE.test(nonce)) return false;
  const random = nonce.slice(0, RANDOM_BYTES * 2);
  return timingSafeEqual(
    Buffer.from(seal(keys, { account, random, issuedAt })),
    Buffer.from(nonce.slice(random.length)),
  );
}

function seal(keys: Keys, { account, random, issuedAt }: { account: AccountName; random: string; issuedAt: Date }) {
  const text = [account.caip10, random, issuedAt.toISOString()].join('\n');
  return createHmac('sha256', keys.payers)
    .update(text)
    .digest('hex')
    .slice(0, 64 - RANDOM_BYTES * 2);
}
