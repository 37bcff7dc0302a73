/** The chain's own record of a run: every event of the escrow, and all balances. Read directly from the node. */
import { type Address, createPublicClient, erc20Abi, getAddress, http, isAddress, zeroAddress } from 'viem';
import { decodeEscrowLog, type EscrowEvent, parseEscrowEvent } from '../../src/escrow/escrow-event.ts';
import type { Demo } from '../../src/local/demo-file.ts';

type Chain = Demo['chains'][number];

/** Base units by token and account. The zero address stands for the native coin. */
export type Holdings = Map<Address, Map<Address, bigint>>;

export function clientOf(chain: Chain) {
  return createPublicClient({ transport: http(chain.rpcUrl, { retryCount: 5, timeout: 20_000 }), cacheTime: 0 });
}

export async function readEscrowEvents(chain: Chain): Promise<EscrowEvent[]> {
  const logs = await clientOf(chain).getLogs({ address: getAddress(chain.escrow), fromBlock: 0n, toBlock: 'latest' });
  return logs.flatMap((log) => {
    const decoded = decodeEscrowLog(log);
    const event = decoded && parseEscrowEvent(decoded.kind, decoded.args);
    return event ? [event] : [];
  });
}

export async function readHoldings(chain: Chain, accounts: readonly Address[]): Promise<Holdings> {
  const client = clientOf(chain);
  const holdings: Holdings = new Map();
  for (const token of tokensOf(chain)) {
    const ofToken = new Map<Address, bigint>();
    for (const account of accounts) {
      const balance =
        token === zeroAddress
          ? await client.getBalance({ address: account })
          : await client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [account] });
      ofToken.set(getAddress(account), balance);
    }
    holdings.set(token, ofToken);
  }
  return holdings;
}

/** The change in each account's balance according to the escrow's events. Payers have negative changes. */
export function movementsOf(events: readonly EscrowEvent[], escrow: Address): Holdings {
  const movements: Holdings = new Map();
  const terms = new Map(events.flatMap((event) => (event.kind === 'Authorized' ? [[event.id, event.terms]] : [])));
  const move = (token: Address, from: Address, to: Address, amount: bigint) => {
    const ofToken = movements.get(getAddress(token)) ?? new Map<Address, bigint>();
    movements.set(getAddress(token), ofToken);
    for (const [account, units] of [
      [from, -amount],
      [to, amount],
    ] as const) {
      ofToken.set(getAddress(account), (ofToken.get(getAddress(account)) ?? 0n) + units);
    }
  };
  for (const event of events) {
    if (!('left' in event)) continue;
    const agreed = terms.get(event.id);
    if (!agreed) continue;
    const { token, merchant, feeRecipient } = agreed;
    const out = (to: Address, amount: bigint) => amount > 0n && move(token, escrow, to, amount);
    switch (event.kind) {
      case 'Authorized':
        move(token, event.payer, escrow, agreed.amount);
        break;
      case 'Captured':
        out(event.payer, event.returned);
        break;
      case 'Voided':
      case 'Reclaimed':
      case 'Refunded':
        out(event.payer, event.amount);
        break;
      case 'Settled':
        out(merchant, event.merchantAmount);
        out(feeRecipient, event.feeAmount);
        break;
      case 'Resolved':
        out(event.payer, event.payerAmount);
        out(merchant, event.merchantAmount);
        out(feeRecipient, event.feeAmount);
        break;
      case 'Disputed':
        break;
      default:
        throw new Error(`No such event: ${String(event satisfies never)}`);
    }
  }
  return movements;
}

/** Differences between the events and the changes in balances. Ignores payers' native coin, which also pays for gas. */
export function holdingFaults(request: {
  chainId: number;
  before: Holdings;
  after: Holdings;
  moved: Holdings;
  payers: readonly Address[];
}): string[] {
  const faults: string[] = [];
  for (const [token, ofToken] of request.after) {
    for (const [account, units] of ofToken) {
      if (token === zeroAddress && request.payers.includes(account)) continue;
      const gained = units - (request.before.get(token)?.get(account) ?? 0n);
      const reported = request.moved.get(token)?.get(account) ?? 0n;
      if (gained === reported) continue;
      faults.push(
        `Chain ${request.chainId}: ${account} gained ${gained} of ${token}; the escrow's events say ${reported}.`,
      );
    }
  }
  return faults;
}

function tokensOf(chain: Chain): Address[] {
  return chain.tokens.map(({ address }) => (isAddress(address) ? getAddress(address) : zeroAddress));
}
