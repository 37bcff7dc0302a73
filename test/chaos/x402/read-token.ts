/** The token's own record of a run: every used authorization, every transfer to the merchant, and all balances. */
import { type Address, createPublicClient, getAddress, type Hex, http, parseAbi } from 'viem';

export type TokenWorld = { rpcUrl: string; token: Address; merchant: Address };

export type OnToken = {
  /** The transactions that used each authorization, by payer and nonce in lower case. */
  used: ReadonlyMap<string, Hex[]>;
  /** The base units that the merchant has received, by payer in lower case. */
  received: ReadonlyMap<string, bigint>;
  transfers: number;
};

const abi = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function balanceOf(address owner) view returns (uint256)',
]);
const [usedEvent, transferEvent] = abi;
const BLOCKS_AT_ONCE = 500n;
const BALANCES_AT_ONCE = 100;

export function keyOf({ payer, nonce }: { payer: string; nonce: string }): string {
  return `${payer}:${nonce}`.toLowerCase();
}

export async function readToken({ rpcUrl, token, merchant }: TokenWorld): Promise<OnToken> {
  const client = openClient(rpcUrl);
  const head = await client.getBlockNumber();
  const used = new Map<string, Hex[]>();
  const received = new Map<string, bigint>();
  let transfers = 0;
  for (let fromBlock = 0n; fromBlock <= head; fromBlock += BLOCKS_AT_ONCE) {
    const end = fromBlock + BLOCKS_AT_ONCE - 1n;
    const range = { address: token, fromBlock, toBlock: end < head ? end : head, strict: true } as const;
    for (const { args, transactionHash } of await client.getLogs({ ...range, event: usedEvent })) {
      const key = keyOf({ payer: args.authorizer, nonce: args.nonce });
      used.set(key, [...(used.get(key) ?? []), transactionHash]);
    }
    for (const { args } of await client.getLogs({ ...range, event: transferEvent, args: { to: merchant } })) {
      const payer = args.from.toLowerCase();
      received.set(payer, (received.get(payer) ?? 0n) + args.value);
      transfers += 1;
    }
  }
  return { used, received, transfers };
}

/** Returns balances by address in lower case. */
export async function readBalances(
  { rpcUrl, token }: Pick<TokenWorld, 'rpcUrl' | 'token'>,
  owners: readonly Address[],
): Promise<Map<string, bigint>> {
  const client = openClient(rpcUrl);
  const balances = new Map<string, bigint>();
  for (let start = 0; start < owners.length; start += BALANCES_AT_ONCE) {
    await Promise.all(
      owners.slice(start, start + BALANCES_AT_ONCE).map(async (owner) => {
        const args = [getAddress(owner)] as const;
        balances.set(
          owner.toLowerCase(),
          await client.readContract({ address: token, abi, functionName: 'balanceOf', args }),
        );
      }),
    );
  }
  return balances;
}

function openClient(rpcUrl: string) {
  return createPublicClient({ transport: http(rpcUrl, { retryCount: 5, timeout: 20_000 }), cacheTime: 0 });
}
