/**
 * Money that the escrow could not send to the wallet and keeps for it. The amount is read from the contract if possible, and otherwise from
 * the gateway. Only the gateway knows which payments the money is from and when it retries the delivery.
 */
import { type HeldAllowance, type HeldPayment, type Holdings, holdingKey } from './holding.ts';

export type HeldCredit = HeldAllowance & {
  /** The payments that the gateway reported and this page knows. */
  from: readonly HeldPayment[];
  nextTryAt: string | null;
};

/** `read` contains the credits of each chain, as read from the contract. */
export function heldCredits(
  { payments, payouts }: Pick<Holdings, 'payments' | 'payouts'>,
  read: ReadonlyMap<number, readonly HeldAllowance[]>,
): HeldCredit[] {
  const credits = new Map<string, HeldCredit>();
  for (const { key: payout, chainId, tokenKey, amount, nextTryAt } of payouts) {
    const key = holdingKey(chainId, tokenKey);
    const known: HeldCredit = credits.get(key) ?? { key, chainId, tokenKey, amount: 0n, from: [], nextTryAt };
    const payment = payments.find((one) => one.reported?.payouts.includes(payout));
    const from = !payment || known.from.includes(payment) ? known.from : [...known.from, payment];
    const sooner = known.nextTryAt !== null && known.nextTryAt < nextTryAt ? known.nextTryAt : nextTryAt;
    credits.set(key, { ...known, amount: known.amount + amount, from, nextTryAt: sooner });
  }
  const onChain = [...read.values()]
    .flat()
    .map((credit) => ({ ...(credits.get(credit.key) ?? { from: [], nextTryAt: null }), ...credit }));
  return [...onChain, ...[...credits.values()].filter(({ chainId }) => !read.has(chainId))];
}
