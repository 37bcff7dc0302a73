/**
 * The part of a wallet's allowance that its other agreements rely on. `approve` sets a single allowance, and any payment consumes
 * it regardless of what it was granted for, so a new payment must leave this part untouched.
 */
import { type Address, isAddressEqual } from 'viem';
import { contractAddress, NATIVE, type Token } from '../../chains/chain.ts';
import type { Registry } from '../../chains/registry.ts';
import { GatewayError } from '../../errors.ts';
import { ESCROW_EDITION } from '../../escrow/escrow-domain.ts';
import { toBigInt } from '../../prices/base-units.ts';
import type { CheckoutWorld } from '../checkout-world.ts';
import type { EvmWay } from '../way-to-pay.ts';

/** A subscription is granted an allowance of this many times its cap. */
const ALLOWED_PERIODS = 12n;

type World = Pick<CheckoutWorld, 'database' | 'registry'>;
type Asked = { way: EvmWay; paymentIntentId: string; allowance: bigint; now: Date };

/**
 * Returns base units, at most the wallet's current allowance. It counts an APPROVAL payment that the payer has confirmed and that
 * is not on chain yet, other payments prepared for this wallet whose quotes are still valid, and subscriptions.
 *
 * Throws CONFLICT if a confirmed payment waits for an approval that is not on chain yet, because a new approval would overwrite
 * it or be overwritten by it; and for a permit that would replace an allowance that others rely on, because a permit is always
 * for the exact amount.
 */
export async function readKeptAllowance(world: World, asked: Asked): Promise<bigint> {
  const { way, allowance } = asked;
  if (
    way.token.address === NATIVE ||
    way.method === 'TRANSFER' ||
    (way.method === 'PERMIT' && way.token.receive !== null)
  )
    return 0n;
  const tokenKeys = keysOfSameToken(world.registry, way.token);
  const waiting = await readWaiting(world, asked, tokenKeys);
  if (waiting && waiting.amount > allowance) {
    throw new GatewayError(
      'CONFLICT',
      'A payment of this wallet requires an approval of the same token, which is not on the chain yet. Wait for it.',
      { meta: { paymentIntentId: waiting.paymentIntentId } },
    );
  }
  const agreed = (waiting?.amount ?? 0n) + (await readSubscribed(world, way, tokenKeys));
  if (way.method === 'PERMIT') {
    if (agreed === 0n || allowance === 0n) return 0n;
    throw new GatewayError(
      'CONFLICT',
      'A permit would replace the allowance on which other payments or subscriptions of this wallet rely. Pay with the method DIRECT or APPROVAL.',
      { param: 'method' },
    );
  }
  const relied = agreed + (await readPrepared(world, asked, tokenKeys));
  return relied < allowance ? relied : allowance;
}

/** The registry keys of the token; the same contract may be registered under several. */
function keysOfSameToken(registry: Registry, token: Token): string[] {
  const address: Address = contractAddress(token);
  const tokens = registry.chain(token.chainId)?.tokens ?? [token];
  return tokens
    .filter((one) => one.address !== NATIVE && isAddressEqual(contractAddress(one), address))
    .map((one) => one.key);
}

/**
 * The pending relay of another payment that will use the allowance; at most one per wallet is pending. A relay of this payment
 * itself is ignored, because it would pay the payment twice.
 */
async function readWaiting(
  { database }: World,
  { way, paymentIntentId }: Asked,
  tokenKeys: string[],
): Promise<{ paymentIntentId: string; amount: bigint } | null> {
  const rows = await database.$queryRaw<{ paymentIntentId: string; amount: string }[]>`
    SELECT sent.payment_intent_id AS "paymentIntentId", quote.crypto_amount::text AS amount
    FROM transaction sent
    JOIN quote ON quote.chain_id = sent.chain_id AND quote.terms_hash = sent.terms_hash
      AND quote.payment_intent_id = sent.payment_intent_id
    WHERE sent.type = 'AUTHORIZE' AND sent.status = 'PENDING' AND sent.chain_id = ${way.chain.chainId}
      AND quote.plan->>'kind' = 'allowance' AND quote.token_key = ANY(${tokenKeys})
      AND quote.wallet_address = ${way.payer} AND sent.payment_intent_id <> ${paymentIntentId}::uuid
    LIMIT 1`;
  const [row] = rows;
  return row ? { paymentIntentId: row.paymentIntentId, amount: BigInt(row.amount) } : null;
}

/**
 * The sum of the latest quotes of each other unpaid intent that this wallet may be about to pay from its allowance. Anyone can
 * prepare a quote in a wallet's name, so these only reserve parts of an allowance that the wallet has granted already.
 */
async function readPrepared(
  { database }: World,
  { way, paymentIntentId, now }: Asked,
  tokenKeys: string[],
): Promise<bigint> {
  const rows = await database.$queryRaw<{ amount: string }[]>`
    SELECT coalesce(sum(latest.crypto_amount), 0)::text AS amount FROM (
      SELECT DISTINCT ON (quote.payment_intent_id) quote.crypto_amount
      FROM quote JOIN payment_intent intent ON intent.id = quote.payment_intent_id
      WHERE quote.wallet_address = ${way.payer} AND quote.chain_id = ${way.chain.chainId}
        AND quote.token_key = ANY(${tokenKeys}) AND quote.plan->>'kind' IN ('allowance', 'direct')
        AND quote.confirmed_at IS NULL AND quote.expires_at > ${now}
        AND quote.payment_intent_id <> ${paymentIntentId}::uuid AND intent.status = 'CREATED'
      ORDER BY quote.payment_intent_id, quote.id DESC) AS latest`;
  return BigInt(rows[0]?.amount ?? '0');
}

/** What the wallet's active subscriptions were granted, including signed ones whose first charge is pending. */
async function readSubscribed({ database }: World, way: EvmWay, tokenKeys: string[]): Promise<bigint> {
  const consents = await database.subscriptionConsent.findMany({
    where: {
      chainId: way.chain.chainId,
      edition: ESCROW_EDITION,
      tokenKey: { in: tokenKeys },
      walletAddress: way.payer,
      revokedAt: null,
      OR: [
        { acceptedBy: { status: { not: 'CANCELLED' } } },
        { signedAt: { not: null }, subscription: { status: 'PENDING' } },
      ],
    },
    select: { capPerPeriod: true },
  });
  return consents.reduce((sum, { capPerPeriod }) => sum + toBigInt(capPerPeriod) * ALLOWED_PERIODS, 0n);
}
