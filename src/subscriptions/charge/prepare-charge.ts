import { Decimal } from 'decimal.js';
import { type Address, type Hex, isHex } from 'viem';
import type { Database, PaymentIntent, SubscriptionConsent } from '../../../prisma/client.ts';
import type { EvmNodes } from '../../chains/evm/nodes.ts';
import type { Registry, Token } from '../../chains/registry.ts';
import { AUTHORIZE_GRACE_SECONDS } from '../../checkout/quoted-terms.ts';
import type { Config } from '../../config/config.ts';
import { GatewayError } from '../../errors.ts';
import { chargeTypedData, consentFromJson, type RecurringConsent } from '../../escrow/consent.ts';
import { type PaymentTerms, termsHash } from '../../escrow/terms.ts';
import type { OperatorSigner } from '../../operator/operator-signer.ts';
import type { Clock } from '../../platform/clock.ts';
import { currencyOf } from '../../prices/money.ts';
import { type PriceEvidence, priceEvidence } from '../../prices/price-evidence.ts';
import type { PriceBook } from '../../prices/price-source.ts';
import { type QuotedAmount, quoteAmount } from '../../prices/quote.ts';
import { chargeTerms } from './charge-terms.ts';

export type ChargeWorld = {
  database: Database;
  clock: Clock;
  registry: Registry;
  nodes: EvmNodes;
  prices: PriceBook;
  operator: OperatorSigner;
  config: Pick<Config, 'quoteSeconds'>;
};

type ChargedIntent = Pick<PaymentIntent, 'id' | 'amount' | 'currency'>;

/** A price with the evidence of its sources. */
export type ChargePrice = QuotedAmount & { evidence: PriceEvidence };

/** One charge, ready to be written and sent; the operator has signed consent, period and payment together. */
export type PreparedCharge = {
  quoteId: string;
  paymentIntentId: string;
  row: SubscriptionConsent;
  consent: RecurringConsent;
  consentId: Hex;
  periodIndex: number;
  escrow: Address;
  terms: PaymentTerms;
  termsHash: Hex;
  operatorSignature: Hex;
  quoted: ChargePrice;
  createdAt: Date;
  expiresAt: Date;
};

/** Signs a charge at a known price. `newestBlockAt` is the time of the chain's newest block, in Unix seconds. */
export async function signCharge(
  world: Pick<ChargeWorld, 'clock' | 'registry' | 'operator' | 'config'>,
  request: {
    consent: SubscriptionConsent;
    periodIndex: number;
    intent: ChargedIntent;
    quoteId: string;
    quoted: ChargePrice;
    newestBlockAt: number;
  },
): Promise<PreparedCharge> {
  const { consent: row, periodIndex, intent, quoteId, quoted } = request;
  const { chainId } = row;
  const { escrow } = placeOf(world.registry, row);
  const consent = consentFromJson(row.consent);
  const consentId = hexOf(row.consentId);
  const now = world.clock.now();
  const base = Math.max(Math.floor(now.getTime() / 1000), request.newestBlockAt);
  const terms = chargeTerms({
    chainId,
    consentId,
    consent,
    periodIndex,
    intent,
    quoteId,
    amount: quoted.cryptoAmount,
    evidence: quoted.evidence,
    authorizeBy: base + world.config.quoteSeconds + AUTHORIZE_GRACE_SECONDS,
  });
  const id = termsHash(terms);
  return {
    quoteId,
    paymentIntentId: intent.id,
    row,
    consent,
    consentId,
    periodIndex,
    escrow,
    terms,
    termsHash: id,
    operatorSignature: await world.operator.signTypedData(
      chargeTypedData({ chainId, escrow, consentId, period: periodIndex, id }),
    ),
    quoted,
    createdAt: now,
    expiresAt: new Date(now.getTime() + world.config.quoteSeconds * 1000),
  };
}

/** The escrow and token of a consent. Throws CHAIN_UNAVAILABLE if the chain or token is no longer configured. */
export function placeOf(
  registry: Registry,
  consent: Pick<SubscriptionConsent, 'chainId' | 'tokenKey'>,
): { escrow: Address; token: Token } {
  const escrow = registry.chain(consent.chainId)?.escrow;
  const token = registry.token(consent.tokenKey);
  if (!escrow || !token) {
    throw new GatewayError('CHAIN_UNAVAILABLE', `${consent.tokenKey} on chain ${consent.chainId} is not configured.`);
  }
  return { escrow, token };
}

/** A fiat amount in a token at the current price, rounded up. Throws PRICE_UNAVAILABLE. */
export async function quoteCharge(
  world: Pick<ChargeWorld, 'prices'>,
  { intent, token }: { intent: Pick<ChargedIntent, 'amount' | 'currency'>; token: Token },
): Promise<ChargePrice> {
  const currency = currencyOf(intent.currency);
  const [fiat, price] = await Promise.all([world.prices.fiatUsd(currency), world.prices.usdPrice(token.symbol)]);
  const quoted = quoteAmount({
    amount: new Decimal(intent.amount.toString()),
    fiatUsd: fiat.priceUsd,
    tokenUsd: price.priceUsd,
    decimals: token.decimals,
  });
  return { ...quoted, evidence: priceEvidence({ [currency]: fiat, [token.symbol]: price }) };
}

/** Narrows text that this gateway itself stored as hex. */
export function hexOf(text: string): Hex {
  if (isHex(text)) return text;
  throw new Error('A stored consent or signature is not hex.');
}
