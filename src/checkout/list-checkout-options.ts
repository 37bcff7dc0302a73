import { Decimal } from 'decimal.js';
import type { AuthorizationMethod } from '../../prisma/client.ts';
import type { Scope } from '../auth/principal.ts';
import { NATIVE, takesPayment } from '../chains/chain.ts';
import { isSelected, readSelection } from '../chains/chain-selection.ts';
import { findSink } from '../chains/payable-address.ts';
import type { Chain, Token } from '../chains/registry.ts';
import { GatewayError } from '../errors.ts';
import { currencyOf } from '../prices/money.ts';
import { quoteAmount } from '../prices/quote.ts';
import type { CheckoutWorld } from './checkout-world.ts';
import { methodsFor } from './payment-method.ts';
import { requirePayable } from './require-payable.ts';
import { isSettleable } from './solana/is-settleable.ts';
import { pausedChains, requireSession, type SessionToPay } from './store.ts';

/** One way to pay: a token on a chain. `cryptoAmount` in base units, `exchangeRate` in whole tokens per 1 USD. */
export type CheckoutOption = {
  chainId: number;
  chainName: string;
  tokenKey: string;
  symbol: string;
  decimals: number;
  cryptoAmount: bigint;
  exchangeRate: string;
  methods: AuthorizationMethod[];
};

/**
 * How a session can be paid at this moment's prices, which bind nobody before `prepareCheckout`. Tokens without a fresh
 * price are left out, and so are chains on which the app's payout address would lose the money, and SOL where the amount is too
 * small to be settled; PRICE_UNAVAILABLE when missing prices leave none. Throws NOT_FOUND, and INVALID_STATE or EXPIRED for a
 * session that is over.
 */
export async function listCheckoutOptions(
  world: CheckoutWorld,
  request: { scope: Scope; sessionId: string },
): Promise<CheckoutOption[]> {
  const session = await requireSession(world.database, { scope: request.scope, id: request.sessionId });
  requirePayable(session, world.clock.now());
  const paused = await pausedChains(world.database);
  const candidates = payableTokens(world, session).filter(
    ({ chain }) => !paused.has(chain.chainId) && (payoutOn(session, chain)?.sink ?? null) === null,
  );
  const fiatUsd = (await world.prices.fiatUsd(currencyOf(session.currency))).priceUsd;
  const amount = new Decimal(session.amount.toString());
  let isPriceMissing = false;
  const options = await Promise.all(
    candidates.map(async ({ chain, token }): Promise<CheckoutOption | null> => {
      const price = await priceOrNull(world, token.symbol);
      if (price === null) {
        isPriceMissing = true;
        return null;
      }
      const methods = methodsFor({
        family: chain.family,
        token,
        amountUsd: amount.times(fiatUsd),
        relayMinimumUsd: relayMinimum(world, chain.chainId),
        isRecurring: session.mode === 'SUBSCRIPTION',
      });
      if (methods.length === 0) return null;
      const quoted = quoteAmount({ amount, fiatUsd, tokenUsd: price, decimals: token.decimals });
      if (!(await couldBeSettled(world, { session, chain, token, amount: quoted.cryptoAmount }))) return null;
      return {
        chainId: chain.chainId,
        chainName: chain.name,
        tokenKey: token.key,
        symbol: token.symbol,
        decimals: token.decimals,
        ...quoted,
        methods,
      };
    }),
  );
  const priced = options.filter((option) => option !== null);
  if (priced.length === 0 && isPriceMissing) {
    throw new GatewayError('PRICE_UNAVAILABLE', 'No fresh price of any token is available.');
  }
  return priced;
}

/** So long the list of ways to pay waits for a Solana node; a way that it does not judge in time is judged when it is prepared. */
const JUDGED_WITHIN_MS = 1_500;

/** Of EVM chains every amount can be. Of Solana as the node says; what it does not say is no reason to hide a way to pay. */
async function couldBeSettled(
  world: CheckoutWorld,
  way: { session: SessionToPay; chain: Chain; token: Token; amount: bigint },
): Promise<boolean> {
  const { session, chain, token, amount } = way;
  const merchant = payoutOn(session, chain)?.address;
  if (chain.family !== 'SOLANA' || token.address !== NATIVE || merchant === undefined) return true;
  const feeBps = session.paymentIntent?.platformFeeBps ?? 0;
  const feeRecipient = world.config.solana.feeRecipient ?? null;
  const judged = world.solanaNodes
    .asking(chain.chainId, (connection) => isSettleable(connection, { token, amount, feeBps, merchant, feeRecipient }))
    .catch(() => true);
  const unjudged = new Promise<true>((resolve) => setTimeout(() => resolve(true), JUDGED_WITHIN_MS).unref());
  return await Promise.race([judged, unjudged]);
}

/** Tokens of chains that can be paid on here, which the session and its intent allow and the app's mode takes. */
export function payableTokens(
  world: Pick<CheckoutWorld, 'registry' | 'config'>,
  session: SessionToPay,
): { chain: Chain; token: Token }[] {
  const own = readSelection(session);
  const ofIntent = session.paymentIntent ? readSelection(session.paymentIntent) : own;
  return world.registry
    .enabled()
    .filter((chain) => takesPayment(chain, session.app.mode) && isPayable(world, session, chain))
    .flatMap((chain) => chain.tokens.map((token) => ({ chain, token })))
    .filter(({ chain, token }) => isSelected(own, chain, token) && isSelected(ofIntent, chain, token));
}

/**
 * Where an app is paid on a chain, and why money sent there would be lost: an address may have been set before the chain
 * or the token was registered that makes it a sink. Undefined where the app has not said.
 */
export function payoutOn(
  session: { app: Pick<SessionToPay['app'], 'payoutAddresses'> },
  chain: Chain,
): { address: string; sink: string | null } | undefined {
  const payout = session.app.payoutAddresses.find((candidate) => candidate.family === chain.family);
  return payout && { address: payout.address, sink: findSink([chain], payout) };
}

/**
 * On EVM chains an escrow contract is needed; on Solana the keys of vaults, and the operator's word for it where the money
 * is real, for it is custody. There is no hold on Solana that could be captured later, and no consent to be charged.
 */
function isPayable(world: Pick<CheckoutWorld, 'config'>, session: SessionToPay, chain: Chain): boolean {
  const { solana } = world.config;
  switch (chain.family) {
    case 'EVM':
      return chain.escrow !== null;
    case 'SOLANA': {
      const isAllowed = chain.testnet || chain.local || solana.custodialMainnet;
      const isOnePayment = session.mode === 'PAYMENT' && session.paymentIntent?.captureMode === 'AUTOMATIC';
      return solana.vaultSecret !== undefined && isAllowed && isOnePayment;
    }
    case 'SUI':
      return false;
    default:
      return chain.family satisfies never;
  }
}

/** USD under which nothing is relayed on a chain. */
export function relayMinimum(world: Pick<CheckoutWorld, 'config'>, chainId: number): string {
  return world.config.rpc.find((settings) => settings.chainId === chainId)?.relayMinimumUsd ?? '0';
}

async function priceOrNull(world: CheckoutWorld, symbol: string): Promise<Decimal | null> {
  try {
    return (await world.prices.usdPrice(symbol)).priceUsd;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'PRICE_UNAVAILABLE') return null;
    throw error;
  }
}
