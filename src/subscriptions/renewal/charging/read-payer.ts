import { isHex } from 'viem';
import type { SubscriptionConsent } from '../../../../prisma/client.ts';
import { contractAddress } from '../../../chains/chain.ts';
import { erc20Abi } from '../../../chains/evm/erc20.ts';
import { GatewayError } from '../../../errors.ts';
import { consentFromJson } from '../../../escrow/consent.ts';
import { escrowAbi } from '../../../escrow/escrow-abi.ts';
import { type ChargeWorld, placeOf } from '../../charge/prepare-charge.ts';
import type { PayerReading } from '../renewal-cause.ts';

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
  const reading = (await readPayers(world, { chainId: row.chainId, consents: [row] })).get(row.consentId);
  if (!reading) throw unknown(row);
  return reading;
}

/**
 * Reads the payers of several consents on one chain in one call, at one block. Returns the readings by consent id; the entry of a payer
 * is missing if any of its values could not be read. Throws CHAIN_UNAVAILABLE.
 */
export async function readPayers(
  world: Pick<ChargeWorld, 'registry' | 'nodes'>,
  { chainId, consents }: { chainId: number; consents: readonly SubscriptionConsent[] },
): Promise<Map<string, ChargeReading>> {
  // A token that is no longer configured concerns its own consents only.
  const placed = consents.filter((row) => world.registry.token(row.tokenKey) && world.registry.chain(chainId)?.escrow);
  if (placed.length === 0) return new Map();
  const calls = placed.map((row) => callsOf(world, row));
  const answers = await world.nodes.asking(chainId, (client) =>
    // In one call, so that all values are those of one block.
    client.multicall({ contracts: calls.flat(), batchSize: 0 }),
  );
  const readings = new Map<string, ChargeReading>();
  for (const [index, { consentId }] of placed.entries()) {
    const [balance, allowance, state] = answers.slice(index * 3, index * 3 + 3);
    if (typeof balance?.result !== 'bigint' || typeof allowance?.result !== 'bigint' || !Array.isArray(state?.result)) {
      continue;
    }
    const [isRevoked, nextPeriod] = state.result;
    readings.set(consentId, { balance: balance.result, allowance: allowance.result, isRevoked, nextPeriod });
  }
  return readings;
}

function callsOf(world: Pick<ChargeWorld, 'registry'>, row: SubscriptionConsent) {
  const { escrow, token } = placeOf(world.registry, row);
  const { payer } = consentFromJson(row.consent);
  const { consentId } = row;
  if (!isHex(consentId)) throw new Error('A stored consent has no id.');
  const erc20 = { address: contractAddress(token), abi: erc20Abi } as const;
  return [
    { ...erc20, functionName: 'balanceOf', args: [payer] },
    { ...erc20, functionName: 'allowance', args: [payer, escrow] },
    { address: escrow, abi: escrowAbi, functionName: 'consentState', args: [consentId] },
  ] as const;
}

/** The error for a payer whose balance, allowance or consent could not be read. */
export function unknown({ chainId, walletAddress }: SubscriptionConsent): GatewayError {
  return new GatewayError(
    'CHAIN_UNAVAILABLE',
    `Chain ${chainId} does not return the balance and allowance of ${walletAddress}.`,
    {
      meta: { chainId },
    },
  );
}
