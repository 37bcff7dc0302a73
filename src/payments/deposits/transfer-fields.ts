/** A plain transfer in the forms that events contain and wallets read. */
import { getAddress, zeroAddress } from 'viem';
import type { Prisma } from '../../../prisma/client.ts';
import { printBaseUnits } from '../../prices/base-units.ts';
import { type DepositWithBalances, ownBalance } from './deposit.ts';

export function transferFields(deposit: DepositWithBalances) {
  const own = ownBalance(deposit);
  return {
    chainId: deposit.chainId,
    address: deposit.address,
    tokenKey: deposit.tokenKey,
    amount: printBaseUnits(deposit.amount) ?? '0',
    received: printBaseUnits(own?.received ?? null) ?? '0',
    returned: printBaseUnits(own?.returned ?? null) ?? '0',
    refundAddress: deposit.refundAddress,
    expiresAt: deposit.expiresAt.toISOString(),
    payBy: deposit.authorizeBy.toISOString(),
  } satisfies Prisma.InputJsonObject;
}

/** Returns the transfer as an EIP-681 request, which some wallets read. `token` is the zero address for the native coin. */
export function transferUrl(transfer: { chainId: number; address: string; token: string; amount: bigint }): string {
  const { chainId, address, token, amount } = transfer;
  if (token === zeroAddress) return `ethereum:${address}@${chainId}?value=${amount}`;
  return `ethereum:${getAddress(token)}@${chainId}/transfer?address=${address}&uint256=${amount}`;
}
