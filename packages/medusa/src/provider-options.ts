/** The options of the provider in `medusa-config.ts`, validated when the server starts. */
import { MedusaError } from '@medusajs/framework/utils';

export type SluiceProviderOptions = {
  /** The URL of the Sluice installation, such as `https://pay.example.com`. */
  baseUrl: string;
  /** A secret key of the app that is paid. */
  apiKey: string;
  /** The secret of the app's webhook endpoint (`whsec_…`), or several while you rotate it. */
  webhookSecret: string | string[];
  /** MANUAL holds a payment until it is captured in Medusa. Defaults to the app's setting. */
  captureMode?: 'AUTOMATIC' | 'MANUAL';
  /** Your storefront's page to which the payer returns after paying. It completes the cart. */
  successUrl?: string;
  /** Your storefront's page to which the payer returns without having paid. */
  cancelUrl?: string;
  /** Chains on which payments are accepted. Defaults to all chains of the app. */
  allowedChains?: number[];
  /** Keys of the tokens that are accepted, such as `USDC-8453`. Defaults to all. */
  allowedTokens?: string[];
  /** How long a capture or a refund waits for the transaction before it to become final. 1 to 600; defaults to 60. */
  finalityTimeoutSeconds?: number;
};

const LONGEST_WAIT_SECONDS = 600;
const DEFAULT_WAIT_SECONDS = 60;

/** Throws one error that names every invalid option. */
export function validateProviderOptions(options: Record<string, unknown>): void {
  const faults = [
    ...(isUrl(options.baseUrl) ? [] : ['baseUrl must be an http(s) URL']),
    ...(isText(options.apiKey) && options.apiKey.startsWith('sk_') ? [] : ['apiKey must be a secret key (sk_…)']),
    ...(areSecrets(options.webhookSecret)
      ? []
      : ['webhookSecret must be a webhook secret (whsec_…), or an array of them']),
    ...(isAbsentOr(options.captureMode, (mode) => mode === 'AUTOMATIC' || mode === 'MANUAL')
      ? []
      : ['captureMode must be AUTOMATIC or MANUAL']),
    ...(['successUrl', 'cancelUrl'] as const)
      .filter((name) => !isAbsentOr(options[name], isUrl))
      .map((name) => `${name} must be an http(s) URL`),
    ...(isAbsentOr(options.allowedChains, (chains) => isListOf(chains, Number.isSafeInteger))
      ? []
      : ['allowedChains must be an array of chain ids']),
    ...(isAbsentOr(options.allowedTokens, (tokens) => isListOf(tokens, isText))
      ? []
      : ['allowedTokens must be an array of token keys']),
    ...(isAbsentOr(options.finalityTimeoutSeconds, isWait)
      ? []
      : [`finalityTimeoutSeconds must be between 1 and ${LONGEST_WAIT_SECONDS}`]),
  ];
  if (faults.length === 0) return;
  throw new MedusaError(
    MedusaError.Types.INVALID_DATA,
    `The options of the Sluice payment provider are invalid: ${faults.join('; ')}.`,
  );
}

export function finalityTimeoutMs(options: SluiceProviderOptions): number {
  return (options.finalityTimeoutSeconds ?? DEFAULT_WAIT_SECONDS) * 1000;
}

function isAbsentOr(value: unknown, holds: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || holds(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isUrl(value: unknown): boolean {
  return isText(value) && /^https?:\/\//.test(value) && URL.canParse(value);
}

function areSecrets(value: unknown): boolean {
  return isListOf(isText(value) ? [value] : value, (one) => isText(one) && one.startsWith('whsec_'));
}

function isListOf(value: unknown, holds: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(holds);
}

function isWait(value: unknown): boolean {
  return typeof value === 'number' && value >= 1 && value <= LONGEST_WAIT_SECONDS;
}
