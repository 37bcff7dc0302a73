/**
 * Money that the escrow could not send to the wallet and keeps for it. The contract says how much, wherever it can be asked;
 * elsewhere the gateway does. The gateway alone knows which payments it is from and when it tries to deliver it next.
 */
import { type HeldAllowance, type HeldPayment, type Holdings, holdingKey } from './holding.ts';

export type HeldCredit = HeldAllowance & {
  /** As far as the gateway reported them and this page knows them. */
  from: readonly HeldPayment[];
  nextTryAt: string | null;
};

/** `read`: credits by chain, as the contract has them. */
export function heldCredits(
  { payments, payouts }: Pick<Holdings, 'payments' | 'payouts'>,
  read: ReadonlyMap<number, readonly HeldAllowance[]>,
): HeldCredit[] {
  const told = new Map<string, HeldCredit>();
  for (const { key: payout, chainId, tokenKey, amount, nextTryAt } of payouts) {
    const key = holdingKey(chainId, tokenKey);
    const known: HeldCredit = told.get(key) ?? { key, chainId, tokenKey, amount: 0n, from: [], nextTryAt };
    const payment = payments.find((one) => one.told?.payouts.includes(payout));
    const from = !payment || known.from.includes(payment) ? known.from : [...known.from, payment];
    const sooner = known.nextTryAt !== null && known.nextTryAt < nextTryAt ? known.nextTryAt : nextTryAt;
    told.set(key, { ...known, amount: known.amount + amount, from, nextTryAt: sooner });
  }
  const onChain = [...read.values()]
    .flat()
    .map((credit) => ({ ...(told.get(credit.key) ?? { from: [], nextTryAt: null }), ...credit }));
  return [...onChain, ...[...told.values()].filter(({ chainId }) => !read.has(chainId))];
}
