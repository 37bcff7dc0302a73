/** Wallets with tokens. Payers of x402 need no native coin, because they pay no gas. */
import { type Address, createTestClient, type Hex, http, keccak256, publicActions, toHex, walletActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { localAccounts } from '../../../src/local/local-accounts.ts';
import { usdcTokenAbi } from '../../../src/local/test-tokens.ts';

export type Payer = { address: Address; privateKey: Hex };

const BASE_UNITS_EACH = 1_000_000_000n;
const MINT_GAS = 200_000n;
const AT_ONCE = 50;
/** On local chains, a block is final after sixteen blocks. */
const FINAL_BLOCKS = 20;

/** Wallets with keys derived from `name`, each with a thousand USDC that no reorganization can remove. */
export async function openPayers(
  chain: { rpcUrl: string; token: Address },
  { name, count }: { name: string; count: number },
): Promise<Payer[]> {
  const payers = Array.from({ length: count }, (_, index) => {
    const privateKey = keccak256(toHex(`${name} ${index}`));
    return { privateKey, address: privateKeyToAccount(privateKey).address };
  });
  const account = privateKeyToAccount(localAccounts.deployer.privateKey);
  const client = createTestClient({ mode: 'anvil', account, transport: http(chain.rpcUrl), cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions);
  const first = await client.getTransactionCount({ address: account.address });
  for (let start = 0; start < count; start += AT_ONCE) {
    await Promise.all(
      payers.slice(start, start + AT_ONCE).map(({ address }, index) =>
        client.writeContract({
          chain: null,
          address: chain.token,
          abi: usdcTokenAbi,
          functionName: 'mint',
          args: [address, BASE_UNITS_EACH],
          nonce: first + start + index,
          gas: MINT_GAS,
        }),
      ),
    );
  }
  await client.mine({ blocks: FINAL_BLOCKS });
  return payers;
}
