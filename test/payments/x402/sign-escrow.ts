/** What a client of the scheme `escrow` does with an offer: it fills in itself and signs ERC-3009. */
import { type Hex, hashTypedData } from 'viem';
import { receiveTypedData } from '../../../src/chains/evm/erc20.ts';
import { termsFromJson, termsHash } from '../../../src/escrow/terms.ts';
import { accountOf } from '../../checkout/sign-step.ts';

type Offered = {
  scheme: string;
  network: string;
  asset: string;
  amount: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: Record<string, unknown>;
};
type Changes = {
  intentId?: Hex;
  value?: bigint;
  to?: Hex;
  validAfter?: bigint;
  validBefore?: bigint;
  nonce?: Hex;
  /** Signs the digest instead of the payer's key. */
  sign?: ((request: { hash: Hex }) => Promise<Hex>) | undefined;
};

/** The request that a resource server makes of the facilitator. `changes` make a client that does something else. */
export async function payOffer(payer: { address: Hex; privateKey: Hex }, offer: Offered, changes: Changes = {}) {
  const { terms: offered, escrow, tokenName, tokenVersion } = offer.extra;
  const own = changes.intentId === undefined ? {} : { intentId: changes.intentId };
  const terms = termsFromJson({ ...(offered as object), ...own, payer: payer.address });
  const authorization = {
    from: payer.address,
    to: changes.to ?? (escrow as Hex),
    value: changes.value ?? terms.amount,
    validAfter: changes.validAfter ?? 0n,
    validBefore: changes.validBefore ?? BigInt(terms.authorizeBy),
    nonce: changes.nonce ?? termsHash(terms),
  };
  const typedData = receiveTypedData({
    name: String(tokenName),
    version: String(tokenVersion),
    chainId: Number(offer.network.split(':')[1]),
    token: offer.asset as Hex,
    ...authorization,
    validBefore: Number(authorization.validBefore),
  });
  const hash = hashTypedData(typedData);
  const signature = changes.sign ? await changes.sign({ hash }) : await accountOf(payer).sign({ hash });
  const printed = Object.fromEntries(Object.entries(authorization).map(([name, value]) => [name, String(value)]));
  const paymentPayload = { x402Version: 2, accepted: offer, payload: { authorization: printed, signature, ...own } };
  return { termsHash: termsHash(terms), body: { x402Version: 2, paymentPayload, paymentRequirements: offer } };
}
