import type { Connection } from '@solana/web3.js';
import { NATIVE, type Token } from '../../chains/chain.ts';
import { amountsByWallet, settlementOf } from '../../escrow/solana/payout-plan.ts';

type Payment = {
  token: Pick<Token, 'address'>;
  amount: bigint;
  feeBps: number;
  merchant: string;
  feeRecipient: string | null;
};

/**
 * Whether a payment on Solana could be settled at present: its vault as a fresh account can hold it, and at least one recipient
 * can receive its share. A share that cannot be received is kept for its recipient. Token payments can always be settled, because
 * a token account is opened for a recipient who has none.
 */
export async function isSettleable(connection: Connection, payment: Payment): Promise<boolean> {
  const { token, amount, feeBps, merchant, feeRecipient } = payment;
  if (token.address !== NATIVE) return true;
  const { PublicKey } = await import('@solana/web3.js');
  const { merchantAmount, feeAmount } = settlementOf(amount, feeRecipient === null ? 0 : feeBps);
  const shares = [{ to: merchant, amount: merchantAmount }];
  if (feeRecipient !== null && feeAmount > 0n) shares.push({ to: feeRecipient, amount: feeAmount });
  const wallets = amountsByWallet(shares);
  const [least, { value: accounts }] = await Promise.all([
    connection.getMinimumBalanceForRentExemption(0),
    connection.getMultipleAccountsInfoAndContext([...wallets.keys()].map((wallet) => new PublicKey(wallet))),
  ]);
  if (amount < BigInt(least)) return false;
  return [...wallets.values()].some((share, index) => share >= BigInt(least) || (accounts[index]?.lamports ?? 0) > 0);
}
