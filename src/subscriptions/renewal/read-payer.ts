import { type Address, isHex } from 'viem';
import type { SubscriptionConsent } from '../../../prisma/client.ts';
import { contractAddress } from '../../chains/chain.ts';
import { erc20Abi } from '../../chains/evm/erc20.ts';
import { GatewayError } from '../../errors.ts';
import { consentFromJson } from '../../escrow/consent.ts';
import { escrowAbi } from '../../escrow/escrow-abi.ts';
import { type ChargeWorld, placeOf } from '../charge/prepare-charge.ts';
import type { PayerReading } from './renewal-cause.ts';

/** `nextPeriod` is the lowest period of which the contract still accepts a charge. */
export type ChargeReading = PayerReading & { nextPeriod: number };

/**
 * Reads the balance and allowance of a consent's payer, and which of the consent's periods are used, at the newest block. Throws
 * CHAIN_UNAVAILABLE, also if a single value could not be read: it is then unknown, not zero.
 */
export async function readPayer(
  world: Pick<ChargeWorld, 'registry' | 'nodes'>,
  row: SubscriptionConsent,
): Promise<ChargeReading> {
  const { escrow, token } = placeOf(world.registry, row);
  const { payer } = consentFromJson(row.consent);
  const { consentId } = row;
  if (!isHex(consentId)) throw new Error('A stored consent has no id.');
  const erc20 = { address: contractAddress(token), abi: erc20Abi } as const;
  const [balance, allowance, state] = await world.nodes.asking(row.chainId, (client) =>
    client.multicall({
      contracts: [
        { ...erc20, functionName: 'balanceOf', args: [payer] },
        { ...erc20, functionName: 'allowance', args: [payer, escrow] },
        { address: escrow, abi: escrowAbi, functionName: 'consentState', args: [consentId] },
      ],
    }),
  );
  if (balance.status !== 'success' || allowance.status !== 'success' || state.status !== 'success') {
    throw unknown(row.chainId, payer);
  }
  const [isRevoked, nextPeriod] = state.result;
  return { balance: balance.result, allowance: allowance.result, isRevoked, nextPeriod };
}

function unknown(chainId: number, payer: Address): GatewayError {
  return new GatewayError('CHAIN_UNAVAILABLE', `Chain ${chainId} does not say what ${payer} holds and allows.`, {
    meta: { chainId },
  });
}
