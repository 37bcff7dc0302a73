/** The keys derived from TOKEN_SECRET, one per purpose. */
import { ConfigError } from '../../config/config-error.ts';
import { deriveKey } from '../../platform/secret-box.ts';

export type SecretKeys = {
  /** Encrypts the private parts of signing keys. */
  signing: Uint8Array;
  /** HMAC of stored one-time passwords. */
  passwords: Uint8Array;
  /** Encrypts one-time passwords in mail jobs. */
  mails: Uint8Array;
  /** HMAC of the tokens in links to invoices. */
  invoices: Uint8Array;
  /** HMAC of the tokens in links that repair renewals. */
  renewals: Uint8Array;
  /** HMAC of the tokens in links that end mails. */
  unsubscribing: Uint8Array;
  /** HMAC of the URLs under which merchants' images are served. */
  images: Uint8Array;
  /** HMAC of the nonces that payers' wallets sign. */
  payers: Uint8Array;
  /** HMAC of the quotes in x402 payment requirements. */
  x402Quotes: Uint8Array;
  /** Encrypts secrets in stored responses, together with the callers' idempotency keys. */
  answers: Uint8Array;
};

/** This secret is public, protects nothing, and is rejected in production. */
const DEVELOPMENT_SECRET = 'a secret for development only, known to all';

/** Throws ConfigError in production without TOKEN_SECRET. */
export function openSecretKeys(config: { tokenSecret?: string | undefined; isProduction?: boolean }): SecretKeys {
  if (config.tokenSecret === undefined && config.isProduction) {
    throw new ConfigError('TOKEN_SECRET: is needed in production, at least 32 characters; it seals what signs tokens');
  }
  const secret = config.tokenSecret ?? DEVELOPMENT_SECRET;
  return {
    signing: deriveKey(secret, { purpose: 'sluice signing keys' }),
    passwords: deriveKey(secret, { purpose: 'sluice one-time passwords' }),
    mails: deriveKey(secret, { purpose: 'sluice mailed passwords' }),
    invoices: deriveKey(secret, { purpose: 'sluice invoice links' }),
    renewals: deriveKey(secret, { purpose: 'sluice renewal links' }),
    unsubscribing: deriveKey(secret, { purpose: 'sluice unsubscribing' }),
    images: deriveKey(secret, { purpose: 'sluice images' }),
    payers: deriveKey(secret, { purpose: 'sluice payers' }),
    x402Quotes: deriveKey(secret, { purpose: 'sluice x402 quotes' }),
    answers: deriveKey(secret, { purpose: 'sluice first answers' }),
  };
}
