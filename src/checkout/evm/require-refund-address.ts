import { getAddress } from 'viem';
import type { Database } from '../../../prisma/client.ts';
import { invalid } from '../../errors.ts';

/**
 * Throws VALIDATION_ERROR for a refund address that is a deposit address of this installation, on any chain, because money returned there
 * would pay, or belong to, another payment. `requireKnownWay` has already refused other addresses to which no key exists.
 */
export async function requireRefundAddress(database: Database, address: string | null): Promise<void> {
  if (address === null) return;
  const known = await database.depositAddress.findFirst({
    where: { address: getAddress(address) },
    select: { chainId: true },
  });
  if (!known) return;
  throw invalid([
    {
      param: 'walletAddress',
      message: 'is a deposit address, to which nobody has a key; use an address whose key you hold',
    },
  ]);
}
