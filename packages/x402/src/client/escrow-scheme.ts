/** The scheme `escrow` for an unmodified `x402Client`: `client.register('eip155:*', new EscrowEvmScheme(account, { escrows: [...] }))`. */
import type { PaymentPayloadResult, PaymentRequirements, SchemeNetworkClient } from '@x402/core/types';
import { type ClientEvmSigner, findDefaultAsset } from '@x402/evm';
import { getAddress, toHex } from 'viem';
import { chainIdOf, checkTerms, type EscrowLimits, EscrowTermsError, paymentId } from './escrow-terms.ts';

/** The address of the contract's second edition, which is the same on every chain. */
export const SLUICE_ESCROW = '0xB706d4A54Cf43C359d94fa3B247A70b96c25D374';

export type EscrowSchemeOptions = Partial<EscrowLimits> & {
  /** Milliseconds; the machine's clock by default. */
  now?: () => number;
};

const receiveFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
];

export class EscrowEvmScheme implements SchemeNetworkClient {
  readonly scheme = 'escrow';
  readonly findDefaultAsset = findDefaultAsset;
  readonly #signer: ClientEvmSigner;
  readonly #limits: EscrowLimits;
  readonly #now: () => number;

  constructor(signer: ClientEvmSigner, { now, escrows, ...limits }: EscrowSchemeOptions = {}) {
    this.#signer = signer;
    this.#limits = { ...limits, escrows: escrows ?? [SLUICE_ESCROW] };
    this.#now = now ?? Date.now;
  }

  /** Throws an EscrowTermsError, with nothing signed, if the terms are not acceptable. */
  async createPaymentPayload(x402Version: number, requirements: PaymentRequirements): Promise<PaymentPayloadResult> {
    const payer = getAddress(this.#signer.address);
    const now = Math.floor(this.#now() / 1000);
    const offered = checkTerms(requirements, { payer, now, limits: this.#limits });
    // Of the buyer's own choice, so that one offer can be paid several times: the id of each payment is another one.
    const intentId = randomIntentId();
    const authorization = {
      from: payer,
      to: getAddress(requirements.payTo),
      value: offered.amount.toString(),
      validAfter: '0',
      validBefore: Math.min(offered.authorizeBy, now + requirements.maxTimeoutSeconds).toString(),
      nonce: paymentId({ ...offered, intentId }, payer),
    };
    const signature = await this.#signer.signTypedData({
      domain: tokenDomain(requirements),
      types: { ReceiveWithAuthorization: receiveFields },
      primaryType: 'ReceiveWithAuthorization',
      message: {
        ...authorization,
        value: offered.amount,
        validAfter: 0n,
        validBefore: BigInt(authorization.validBefore),
      },
    });
    return { x402Version, payload: { authorization, signature, intentId } };
  }
}

function tokenDomain({ network, asset, extra }: PaymentRequirements) {
  const { tokenName, tokenVersion } = extra;
  if (typeof tokenName !== 'string' || typeof tokenVersion !== 'string') {
    throw new EscrowTermsError('tokenName', 'the name and version of the token are missing.');
  }
  return { name: tokenName, version: tokenVersion, chainId: chainIdOf(network), verifyingContract: getAddress(asset) };
}

function randomIntentId() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  // Ids whose first 16 bytes are zero are the gateway's own.
  bytes[0] = (bytes[0] ?? 0) | 1;
  return toHex(bytes);
}
