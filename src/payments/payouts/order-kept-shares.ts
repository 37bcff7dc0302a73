import type { CreditedPayout } from '../../../prisma/client.ts';
import { NATIVE } from '../../chains/chain.ts';
import { payoutPlanToText } from '../../escrow/solana/payout-plan.ts';
import { deliveryReferenceOf } from '../../escrow/solana/vault.ts';
import type { NewOutgoing } from '../../operator/enqueue-transaction.ts';
import { toBigInt } from '../../prices/base-units.ts';
import type { ChainActionWorld } from '../actions/action-world.ts';
import { SOLANA_SENDER } from '../actions/payout-order.ts';

/** The node may reject it for a moment; the schedule retries in any case. */
const SIMULATIONS = 3;

/**
 * Returns a payout of everything kept on Solana for one recipient, from the account that keeps it, or null if the recipient
 * cannot receive it yet. The amount is read again when the payout is signed, so that shares that arrive in between are included.
 * Throws CHAIN_UNAVAILABLE.
 */
export async function orderKeptShares(
  { solanaNodes }: ChainActionWorld,
  { open, purpose }: { open: readonly CreditedPayout[]; purpose: string },
): Promise<Omit<NewOutgoing, 'chainId' | 'purpose'> | null> {
  const [first] = open;
  if (!solanaNodes || !first?.keptAt || first.token !== NATIVE) return null;
  const { chainId, recipient, keptAt: vault } = first;
  const amount = open.reduce((sum, payout) => sum + toBigInt(payout.amount), 0n);
  const { PublicKey } = await import('@solana/web3.js');
  const isPayable = await solanaNodes.asking(chainId, async (connection) => {
    if (amount >= BigInt(await connection.getMinimumBalanceForRentExemption(0))) return true;
    return (await connection.getBalance(new PublicKey(recipient), 'confirmed')) > 0;
  });
  if (!isPayable) return null;
  const data = payoutPlanToText({
    intentId: null,
    keptFor: { recipient, reference: deliveryReferenceOf(purpose) },
    vault,
    vaultOwner: vault,
    mint: null,
    transfers: [{ to: recipient, amount, opensAccount: true, keptAt: null }],
  });
  return { sender: SOLANA_SENDER, to: vault, data, maxFailures: SIMULATIONS };
}
