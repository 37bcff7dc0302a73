/** The keys that TOKEN_SECRET stands for, one a purpose. */
import { ConfigError } from '../../config/config.ts';
import { deriveKey } from '../../platform/secret-box.ts';

export type SecretKeys = {
  /** Seals the private halves of signing keys. */
  signing: Uint8Array;
  /** HMAC of one-time passwords at rest. */
  passwords: Uint8Array;
  /** Seals a one-time password on its way to the mail. */
  mails: Uint8Array;
  /** HMAC of the tokens in links to invoices. */
  invoices: Uint8Array;
  /** HMAC of the addresses under which we show merchants' images. */
  images: Uint8Array;
  /** HMAC of the nonces that payers' wallets sign. */
  payers: Uint8Array;
  /** Seals secrets in first answers, together with the callers' idempotency keys. */
  answers: Uint8Array;
};

/** Known to everybody: it protects nothing, and is refused in production. */
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
    images: deriveKey(secret, { purpose: 'sluice images' }),
    payers: deriveKey(secret, { purpose: 'sluice payers' }),
    answers: deriveKey(secret, { purpose: 'sluice first answers' }),
  };
}
