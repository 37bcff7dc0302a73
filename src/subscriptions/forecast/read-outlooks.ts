import { Decimal } from 'decimal.js';
import { type Prisma, transaction } from '../../../prisma/client.ts';
import { contractAddress } from '../../chains/chain.ts';
import { erc20Abi } from '../../chains/evm/erc20.ts';
import { consentFromJson } from '../../escrow/consent.ts';
import { toBigInt, toDecimal } from '../../prices/base-units.ts';
import { currencyOf } from '../../prices/money.ts';
import { quoteAmount } from '../../prices/quote.ts';
import { placeOf } from '../charge/prepare-charge.ts';
import { nextDiscount } from '../discount/subscription-discount.ts';
import { renewalBill } from '../renewal/renewal-lines.ts';
import { nextPrice, type RenewalWorld, renewalIncludes } from '../renewal/renewal-world.ts';
import { pricedUsage, usageSoFar } from '../usage/usage-line.ts';
import { WATCH_DAYS } from './renewal-forecast.ts';

const DAY_MS = 86_400_000;
/** The number of wallets read in one call to a node. */
const BATCH = 100;
/** All checks within this time share one reading. */
const FRESH_MS = 3_600_000;

const watchedIncludes = {
  ...renewalIncludes,
  adjustments: { where: { invoiceId: null } },
  usagePeriods: { where: { closedAt: null }, include: pricedUsage },
} as const satisfies Prisma.SubscriptionInclude;
type Watched = Prisma.SubscriptionGetPayload<{ include: typeof watchedIncludes }>;

/**
 * Reads the balances and allowances of the payers of a chain's next renewals, in one call for at most 100 of them, and what each
 * renewal would take at the current price. Writes their outlooks and current allowances. Always includes `subscriptionId`, even
 * if it was read recently. Throws CHAIN_UNAVAILABLE and PRICE_UNAVAILABLE; a value that could not be read is left unchanged.
 */
export async function readOutlooks(
  world: Pick<RenewalWorld, 'database' | 'clock' | 'registry' | 'nodes' | 'prices'>,
  { subscriptionId, chainId }: { subscriptionId: string; chainId: number },
): Promise<void> {
  const now = world.clock.now();
  const watched = await world.database.subscription.findMany({
    where: {
      OR: [
        { id: subscriptionId },
        {
          status: 'ACTIVE',
          currentPeriodEnd: { gt: now, lte: new Date(now.getTime() + WATCH_DAYS * DAY_MS) },
          consent: { chainId, acceptedAt: { not: null } },
          OR: [{ outlook: null }, { outlook: { readAt: { lt: new Date(now.getTime() - FRESH_MS) } } }],
        },
      ],
    },
    orderBy: { currentPeriodEnd: 'asc' },
    take: BATCH,
    include: watchedIncludes,
  });
  // Sorted, because every batch locks the rows that it writes.
  const asked = watched
    .filter((subscription) => subscription.consent?.chainId === chainId)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const holdings = await readHoldings(world, { chainId, asked });
  const outlooks = await Promise.all(
    asked.map(async (subscription, index) => ({
      subscription,
      holding: holdings[index] ?? null,
      expectedAmount: await expectedAmount(world, subscription),
    })),
  );
  await transaction(world.database, async (tx) => {
    for (const { subscription, holding, expectedAmount } of outlooks) {
      if (holding === null) continue;
      const figures = {
        expectedAmount: toDecimal(expectedAmount),
        balance: toDecimal(holding.balance),
        readAt: now,
      };
      await tx.renewalOutlook.upsert({
        where: { subscriptionId: subscription.id },
        create: { subscriptionId: subscription.id, ...figures },
        update: figures,
      });
      const allowance = toDecimal(holding.allowance);
      if (subscription.approvedAllowance?.equals(allowance)) continue;
      await tx.subscription.update({ where: { id: subscription.id }, data: { approvedAllowance: allowance } });
    }
  });
}

type Holding = { balance: bigint; allowance: bigint };

async function readHoldings(
  world: Pick<RenewalWorld, 'registry' | 'nodes'>,
  { chainId, asked }: { chainId: number; asked: readonly Watched[] },
): Promise<(Holding | null)[]> {
  const calls = asked.flatMap(({ consent }) => {
    if (!consent) return [];
    const { escrow, token } = placeOf(world.registry, consent);
    const { payer } = consentFromJson(consent.consent);
    const erc20 = { address: contractAddress(token), abi: erc20Abi } as const;
    return [
      { ...erc20, functionName: 'balanceOf', args: [payer] } as const,
      { ...erc20, functionName: 'allowance', args: [payer, escrow] } as const,
    ];
  });
  const answers = await world.nodes.asking(chainId, (client) => client.multicall({ contracts: calls }));
  return asked.map((_subscription, index) => {
    const [balance, allowance] = [answers[2 * index], answers[2 * index + 1]];
    if (balance?.status !== 'success' || allowance?.status !== 'success') return null;
    return { balance: balance.result, allowance: allowance.result };
  });
}

/** The base units that the next renewal would take now. */
async function expectedAmount(
  world: Pick<RenewalWorld, 'prices' | 'registry'>,
  subscription: Watched,
): Promise<bigint> {
  const { consent, currentPeriodEnd } = subscription;
  if (!consent || !currentPeriodEnd) return 0n;
  const sold = nextPrice(subscription);
  const period = { start: currentPeriodEnd, end: currentPeriodEnd };
  const usage = usageSoFar(subscription.usagePeriods, currentPeriodEnd);
  const adjustments = [...subscription.adjustments, ...usage];
  const { total } = renewalBill({ sold, period, adjustments, discount: nextDiscount(subscription) });
  const { token } = placeOf(world.registry, consent);
  const [fiat, price] = await Promise.all([
    world.prices.fiatUsd(currencyOf(sold.price.currency)),
    world.prices.usdPrice(token.symbol),
  ]);
  const { cryptoAmount } = quoteAmount({
    amount: new Decimal(total.total),
    fiatUsd: fiat.priceUsd,
    tokenUsd: price.priceUsd,
    decimals: token.decimals,
  });
  // Usage above the cap is not charged by itself.
  const cap = toBigInt(consent.capPerPeriod);
  return usage.length > 0 && cryptoAmount > cap ? cap : cryptoAmount;
}
