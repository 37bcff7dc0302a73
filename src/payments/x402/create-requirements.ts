import { Decimal } from 'decimal.js';
import { getAddress, keccak256, stringToBytes, zeroAddress } from 'viem';
import { z } from 'zod';
import { contractAddress, takesPayment } from '../../chains/chain.ts';
import { partiesOf } from '../../checkout/evm/plan-evm-payment.ts';
import { payoutOn, relayMinimum } from '../../checkout/list-checkout-options.ts';
import { AUTHORIZE_GRACE_SECONDS, quotedTerms } from '../../checkout/quoted-terms.ts';
import { pausedChains } from '../../checkout/store.ts';
import { GatewayError, invalid } from '../../errors.ts';
import { escrowDomain } from '../../escrow/escrow-domain.ts';
import { termsToJson } from '../../escrow/terms.ts';
import { newId } from '../../platform/identifier.ts';
import { CALL_PRICE_DIGITS, currencies, parseCallPrice, printPrice } from '../../prices/money.ts';
import { priceEvidence } from '../../prices/price-evidence.ts';
import type { Price } from '../../prices/price-source.ts';
import { isBelowOneUnit, quoteAmount } from '../../prices/quote.ts';
import { requirePayeeApp } from './payee-app.ts';
import { encodeClaims, type QuoteClaims, withQuote } from './requirement-quote.ts';
import { chainIdOf, networkOf, type Offer, X402_VERSION, type X402Scheme, x402Schemes } from './x402-types.ts';
import { type PayeeApp, type X402Way, type X402World, x402Ways } from './x402-world.ts';

/** How long an offer may be returned to clients. */
const OFFER_SECONDS = 60;
const DEFAULT_TIMEOUT_SECONDS = 60;
/** Responses carry the offers base64-encoded in one header, and common HTTP clients accept 16 KiB of headers. */
const ACCEPTS_BYTES = 10_000;

const pageUrl = z.url({ protocol: /^https?$/, error: 'an http(s) URL' }).max(1024, 'at most 1024 characters');

export const newRequirementsSchema = z.object({
  price: z
    .string()
    .refine(
      (text) => parseCallPrice(text) !== null,
      `a positive amount of at most 12 digits and ${CALL_PRICE_DIGITS} decimals, such as "0.001"`,
    ),
  currency: z.enum(currencies, 'USD or EUR').nullish(),
  resource: z.object({
    url: pageUrl,
    description: z.string().max(500, 'at most 500 characters').nullish(),
    mimeType: z.string().max(100, 'at most 100 characters').nullish(),
  }),
  schemes: z.array(z.enum(x402Schemes, 'exact or escrow')).min(1, 'at least 1').max(2, 'at most 2').nullish(),
  networks: z.array(z.string()).min(1, 'at least 1').max(20, 'at most 20').nullish(),
  maxTimeoutSeconds: z.int().min(10, 'at least 10').max(300, 'at most 300').nullish(),
});
export type NewRequirements = z.infer<typeof newRequirementsSchema>;

/** `expiresAt` is the time until which the offers may be returned to clients. */
export type IssuedRequirements = { accepts: Offer[]; expiresAt: Date };

type Asked = { app: PayeeApp; input: NewRequirements; now: Date; maxTimeoutSeconds: number };
type Priced = X402Way & {
  payTo: string;
  amount: bigint;
  exchangeRate: string;
  evidence: QuoteClaims['evidence'];
  /** The later of the clock and the chain's newest block, in Unix seconds. */
  base: number;
};

/**
 * Returns the ways in which a call of the resource can be paid, in the order of `networks` and `schemes`, at current prices. Writes nothing.
 * Chains that are paused, that do not answer or on which the app cannot be paid are left out, as are tokens without a fresh price, tokens of
 * which one base unit is worth more than the price, and the scheme `escrow` below the chain's minimum. The list is cut where its header would
 * become too long.
 *
 * Throws VALIDATION_ERROR for an unknown network, or if the price is below every minimum or one base unit of every token, CONFLICT if the app can be paid nowhere,
 * CHAIN_PAUSED, CHAIN_UNAVAILABLE and PRICE_UNAVAILABLE if nothing else is left.
 */
export async function createRequirements(
  world: X402World,
  request: { scope: { merchantId: string; appId: string }; input: NewRequirements },
): Promise<IssuedRequirements> {
  const { input } = request;
  const app = await requirePayeeApp(world.database, request.scope);
  const now = world.clock.now();
  const maxTimeoutSeconds = input.maxTimeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  const schemes = [...new Set(input.schemes ?? x402Schemes)];
  const ways = await openWays(world, { app, networks: input.networks ?? null });
  const { fiat, priced } = await priceWays(world, { app, input, now, ways });
  const amountUsd = new Decimal(input.price).times(fiat.priceUsd);
  const expiresAt = new Date(now.getTime() + OFFER_SECONDS * 1000);
  const asked = { app, input, now, maxTimeoutSeconds };
  const offers = priced.flatMap((way) =>
    schemes
      .filter((scheme) => scheme === 'exact' || amountUsd.gte(relayMinimum(world, way.chain.chainId)))
      .map((scheme) => offer(world, { ...asked, way, scheme, expiresAt })),
  );
  if (offers.length === 0) {
    const minimums = priced.map(({ chain }) => `${relayMinimum(world, chain.chainId)} USD on ${chain.name}`);
    throw invalid([
      { param: 'price', message: `is below the minimum of escrow: ${[...new Set(minimums)].join(', ')}` },
    ]);
  }
  return { accepts: fitting(offers), expiresAt };
}

/** The ways to pay on open chains on which the app is paid. */
async function openWays(
  world: X402World,
  { app, networks }: { app: PayeeApp; networks: readonly string[] | null },
): Promise<(X402Way & { payTo: string })[]> {
  const all = x402Ways(world);
  const faults = (networks ?? []).flatMap((network, index) => {
    const chain = world.registry.chain(chainIdOf(network) ?? -1);
    return chain?.family === 'EVM'
      ? []
      : [{ param: `networks[${index}]`, message: `${network} is no known EVM chain, such as eip155:8453` }];
  });
  if (faults.length > 0) throw invalid(faults);
  const named = networks?.map(chainIdOf);
  const asked = named ? named.flatMap((chainId) => all.filter(({ chain }) => chain.chainId === chainId)) : all;
  const payable = [...new Set(asked)].flatMap((way) => {
    const payout = payoutOn({ app }, way.chain);
    return takesPayment(way.chain, app.mode) && payout?.sink === null
      ? [{ ...way, payTo: getAddress(payout.address) }]
      : [];
  });
  if (payable.length === 0) {
    throw new GatewayError(
      'CONFLICT',
      'The app cannot be paid by x402: that needs a payout address for EVM chains, and an enabled chain that has a token with EIP-3009.',
      { param: 'payoutAddress', meta: { appId: app.id } },
    );
  }
  const paused = await pausedChains(world.database);
  const open = payable.filter(({ chain }) => !paused.has(chain.chainId));
  if (open.length === 0) throw new GatewayError('CHAIN_PAUSED', 'New payments are paused on every chain of this call.');
  return open;
}

async function priceWays(
  world: X402World,
  request: { app: PayeeApp; input: NewRequirements; now: Date; ways: readonly (X402Way & { payTo: string })[] },
): Promise<{ fiat: Price; priced: Priced[] }> {
  const { input, now, ways } = request;
  const currency = input.currency ?? 'USD';
  const fiat = await world.prices.fiatUsd(currency);
  const times = new Map(
    await Promise.all(
      [...new Set(ways.map(({ chain }) => chain.chainId))].map(
        async (chainId) => [chainId, await unless('CHAIN_UNAVAILABLE', newestTime(world, chainId))] as const,
      ),
    ),
  );
  const tooSmall: string[] = [];
  const priced = await Promise.all(
    ways.map(async (way): Promise<Priced | null> => {
      const time = times.get(way.chain.chainId) ?? null;
      const price = await unless('PRICE_UNAVAILABLE', world.prices.usdPrice(way.token.symbol));
      if (time === null || price === null) return null;
      const quoted = {
        amount: new Decimal(input.price),
        fiatUsd: fiat.priceUsd,
        tokenUsd: price.priceUsd,
        decimals: way.token.decimals,
      };
      if (isBelowOneUnit(quoted)) {
        tooSmall.push(`${leastPrice(quoted)} ${currency} with ${way.token.symbol} on ${way.chain.name}`);
        return null;
      }
      const { cryptoAmount, exchangeRate } = quoteAmount(quoted);
      const evidence = priceEvidence({ [currency]: fiat, [way.token.symbol]: price });
      const base = Math.max(Math.floor(now.getTime() / 1000), time);
      return { ...way, amount: cryptoAmount, exchangeRate, evidence, base };
    }),
  );
  const found = priced.filter((way) => way !== null);
  if (found.length > 0) return { fiat, priced: found };
  if (tooSmall.length > 0) {
    const message = `is worth less than one base unit of the token; at least ${tooSmall.sort().join(', or ')}`;
    throw invalid([{ param: 'price', message }]);
  }
  if ([...times.values()].every((time) => time === null)) {
    throw new GatewayError('CHAIN_UNAVAILABLE', 'No chain of this call answers.');
  }
  throw new GatewayError('PRICE_UNAVAILABLE', 'No fresh price of any token is available.');
}

/** The price of one base unit, rounded up to the decimals that a price may have. */
function leastPrice(quoted: { fiatUsd: Decimal; tokenUsd: Decimal; decimals: number }): string {
  const unit = quoted.tokenUsd.div(quoted.fiatUsd).div(new Decimal(10).pow(quoted.decimals));
  return printPrice(unit.toDecimalPlaces(CALL_PRICE_DIGITS, Decimal.ROUND_UP));
}

async function newestTime({ nodes }: X402World, chainId: number): Promise<number> {
  return await nodes.asking(chainId, async (client) =>
    Number((await client.getBlock({ blockTag: 'latest' })).timestamp),
  );
}

async function unless<Result>(code: GatewayError['code'], work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof GatewayError && error.code === code) return null;
    throw error;
  }
}

function offer(world: X402World, request: Asked & { way: Priced; scheme: X402Scheme; expiresAt: Date }): Offer {
  const { app, input, way, scheme, maxTimeoutSeconds } = request;
  const { chain, token } = way;
  const claims: QuoteClaims = {
    id: newId(),
    appId: app.id,
    price: printPrice(new Decimal(input.price)),
    currency: input.currency ?? 'USD',
    resource: input.resource.url,
    scheme,
    chainId: chain.chainId,
    tokenKey: token.key,
    amount: way.amount.toString(),
    payTo: scheme === 'exact' ? way.payTo : chain.escrow,
    exchangeRate: way.exchangeRate,
    evidence: way.evidence,
    expiresAt: request.expiresAt.toISOString(),
  };
  const requirements = {
    scheme,
    network: networkOf(chain.chainId),
    asset: contractAddress(token),
    amount: claims.amount,
    payTo: claims.payTo,
    maxTimeoutSeconds,
    extra: scheme === 'exact' ? exactExtra(way) : escrowExtra(world, { ...request, claims }),
  };
  return withQuote(world.secretKeys, requirements, claims);
}

/** What a standard client of `exact` needs to sign. */
function exactExtra({ token }: X402Way) {
  return { name: token.receive.name, version: token.receive.version, refundable: false };
}

/** Everything that the client of `escrow` checks and signs, except the payer. */
function escrowExtra(world: X402World, request: Asked & { way: Priced; claims: QuoteClaims }) {
  const { app, way, claims, maxTimeoutSeconds } = request;
  const place = { chainId: way.chain.chainId, escrow: way.chain.escrow };
  const terms = quotedTerms({
    chainId: place.chainId,
    quoteId: claims.id,
    intent: { ...app, id: claims.id, amount: new Decimal(claims.price), currency: claims.currency },
    app,
    payer: zeroAddress,
    merchant: getAddress(way.payTo),
    token: contractAddress(way.token),
    amount: way.amount,
    evidence: way.evidence,
    base: way.base,
    quoteSeconds: OFFER_SECONDS + maxTimeoutSeconds,
    graceSeconds: AUTHORIZE_GRACE_SECONDS,
    parties: partiesOf(world),
  });
  const { payer: _payer, ...withoutPayer } = termsToJson({ ...terms, quoteHash: claimsHash(claims) });
  return {
    escrow: place.escrow,
    terms: withoutPayer,
    domain: escrowDomain(place),
    tokenName: way.token.receive.name,
    tokenVersion: way.token.receive.version,
    refundable: true,
  };
}

/** The `quoteHash` of an escrow payment: the keccak256 of the quote's first part, so that the payer signs what was offered. */
export function claimsHash(claims: QuoteClaims) {
  return keccak256(stringToBytes(encodeClaims(claims)));
}

/** As many offers, from the first, as a header can carry. */
function fitting(offers: readonly Offer[]): Offer[] {
  let bytes = JSON.stringify({ x402Version: X402_VERSION }).length;
  return offers.filter((one, index) => {
    bytes += Buffer.byteLength(JSON.stringify(one)) + 1;
    return index === 0 || bytes <= ACCEPTS_BYTES;
  });
}
