import { Decimal } from 'decimal.js';
import type { PaymentIntent } from '../../prisma/client.ts';
import type { Scope } from '../auth/principal.ts';
import { NATIVE, takesPayment } from '../chains/chain.ts';
import { isSelected, readSelection } from '../chains/chain-selection.ts';
import { findSink } from '../chains/payable-address.ts';
import type { Chain, Token } from '../chains/registry.ts';
import { GatewayError } from '../errors.ts';
import { currencyOf } from '../prices/money.ts';
import { quoteAmount } from '../prices/quote.ts';
import type { CheckoutWorld } from './checkout-world.ts';
import { type CheckoutMethod, methodsFor, relayedAmount } from './payment-method.ts';
import { requirePayable } from './require-payable.ts';
import { isSettleable } from './solana/is-settleable.ts';
import { pausedChains, requireSession, type SessionToPay } from './store.ts';

/** One way to pay: a token on a chain. `cryptoAmount` is in base units, `exchangeRate` in whole tokens per 1 USD. */
export type CheckoutOption = {
  chainId: number;
  chainName: string;
  tokenKey: string;
  symbol: string;
  decimals: number;
  cryptoAmount: bigint;
  exchangeRate: string;
  methods: CheckoutMethod[];
};

/**
 * Lists how a session can be paid at current prices, which are not binding until `prepareCheckout`. It leaves out tokens without
 * a fresh price, chains on which the app has no payout address or would lose what is sent there, and SOL if the amount is too small to be
 * settled. Throws PRICE_UNAVAILABLE if missing prices leave nothing, NOT_FOUND, and INVALID_STATE or EXPIRED for a session that
 * has ended.
 */
export async function listCheckoutOptions(
  world: CheckoutWorld,
  request: { scope: Scope; sessionId: string },
): Promise<CheckoutOption[]> {
  const session = await requireSession(world.database, { scope: request.scope, id: request.sessionId });
  requirePayable(session, world.clock.now());
  const paused = await pausedChains(world.database);
  const candidates = payableTokens(world, session).filter(
    ({ chain }) => !paused.has(chain.chainId) && payoutOn(session, chain)?.sink === null,
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
        amountUsd: relayedAmount(session).times(fiatUsd),
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

/** How long the list waits for a Solana node. A way to pay that is not checked in time is checked when it is prepared. */
const CHECK_LIMIT_MS = 1_500;

/**
 * Whether a payment could be settled: always on EVM chains, on Solana according to the node. If the node does not answer, the way
 * to pay is still offered.
 */
async function couldBeSettled(
  world: CheckoutWorld,
  way: { session: SessionToPay; chain: Chain; token: Token; amount: bigint },
): Promise<boolean> {
  const { session, chain, token, amount } = way;
  const merchant = payoutOn(session, chain)?.address;
  if (chain.family !== 'SOLANA' || token.address !== NATIVE || merchant === undefined) return true;
  const feeBps = session.paymentIntent?.platformFeeBps ?? 0;
  const feeRecipient = world.config.solana.feeRecipient ?? null;
  const checked = world.solanaNodes
    .asking(chain.chainId, (connection) => isSettleable(connection, { token, amount, feeBps, merchant, feeRecipient }))
    .catch(() => true);
  const undecided = new Promise<true>((resolve) => setTimeout(() => resolve(true), CHECK_LIMIT_MS).unref());
  return await Promise.race([checked, undecided]);
}

type SelectionColumns = { allowedChains: unknown; allowedTokens: unknown };

/** The settings that determine with which chains and tokens a session can be paid. A link has them before it has a session. */
export type SessionWays = SelectionColumns & {
  mode: SessionToPay['mode'];
  app: Pick<SessionToPay['app'], 'mode'>;
  paymentIntent: (SelectionColumns & Pick<PaymentIntent, 'captureMode'>) | null;
};

/** The tokens of chains that can be paid on here, that the session and its intent allow, and that the app's mode accepts. */
export function payableTokens(
  world: Pick<CheckoutWorld, 'registry' | 'config'>,
  session: SessionWays,
): { chain: Chain; token: Token }[] {
  const own = readSelection(session);
  const ofIntent = session.paymentIntent ? readSelection(session.paymentIntent) : own;
  return world.registry
    .enabled()
    .filter((chain) => takesPayment(chain, session.app.mode) && isPayable(world, session, chain))
    .flatMap((chain) => chain.tokens.map((token) => ({ chain, token })))
    .filter(({ chain, token }) => isSelected(own, chain, token) && isSelected(ofIntent, chain, token));
}

export type Payout = Pick<SessionToPay['app']['payoutAddresses'][number], 'family' | 'address'>;

/**
 * Returns the app's payout address on a chain and, if money sent to it would be lost, the reason. An address may have been set before the
 * chain or token that makes it unusable was registered. Undefined if the app has no payout address.
 */
export function payoutOn(
  session: { app: { payoutAddresses: readonly Payout[] } },
  chain: Chain,
): { address: string; sink: string | null } | undefined {
  const payout = session.app.payoutAddresses.find((candidate) => candidate.family === chain.family);
  return payout && { address: payout.address, sink: findSink([chain], payout) };
}

/**
 * Whether a session can be paid on a chain. EVM chains need an escrow contract. Solana needs the vault keys and, where the money
 * is real, the operator's explicit setting, because payments there are custodial. On Solana there are no holds that could be
 * captured later and no consents for recurring charges.
 */
function isPayable(world: Pick<CheckoutWorld, 'config'>, session: SessionWays, chain: Chain): boolean {
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

/** The amount in USD below which nothing is relayed on a chain. */
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
