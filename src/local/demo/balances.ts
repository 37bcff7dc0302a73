/** Token balances of the parties to a payment, in base units. */
import { erc20Abi, type Hex, type PublicClient } from 'viem';

export type Party = 'payer' | 'escrow' | 'merchant' | 'feeRecipient';
export type Parties = Record<Party, Hex>;
export type Balances = Record<Party, bigint>;

export async function readBalances(
  client: Pick<PublicClient, 'readContract'>,
  request: { token: Hex; parties: Parties },
): Promise<Balances> {
  const of = (party: Party) =>
    client.readContract({
      address: request.token,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [request.parties[party]],
    });
  const [payer, escrow, merchant, feeRecipient] = await Promise.all([
    of('payer'),
    of('escrow'),
    of('merchant'),
    of('feeRecipient'),
  ]);
  return { payer, escrow, merchant, feeRecipient };
}

export function gains(before: Balances, after: Balances): Balances {
  return {
    payer: after.payer - before.payer,
    escrow: after.escrow - before.escrow,
    merchant: after.merchant - before.merchant,
    feeRecipient: after.feeRecipient - before.feeRecipient,
  };
}

/** Returns what does not add up after settled payments of `paid` base units in total. Empty if everything does. */
export function balanceFaults(gained: Balances, paid: bigint): string[] {
  const lost = -gained.payer;
  const received = gained.merchant + gained.feeRecipient;
  const faults: string[] = [];
  if (lost !== paid) faults.push(`The payer should have paid ${paid}, but paid ${lost}.`);
  if (lost !== received) faults.push(`The payer paid ${lost}, but merchant and fee recipient received ${received}.`);
  if (gained.escrow !== 0n) faults.push(`The escrow still holds ${gained.escrow}.`);
  return faults;
}
