import { createWalletClient, defineChain, type Hex, hashTypedData, http, type PublicClient, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Demo } from '../demo-file.ts';

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]*$/)]);

/** A step as returned by REST. Fields of other kinds are present and null. */
export const stepSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('transaction'), description: z.string(), to: hex, data: hex, value: z.string() }),
  z.object({
    kind: z.literal('signTypedData'),
    description: z.string(),
    name: z.string(),
    typedData: z.object({
      domain: z.record(z.string(), z.unknown()),
      types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
      primaryType: z.string(),
      message: z.record(z.string(), z.unknown()),
    }),
  }),
]);

export type Step = z.infer<typeof stepSchema>;

export type PayerWallet = {
  address: Hex;
  client: Pick<PublicClient, 'readContract'>;
  /** Sends the transaction and waits until it is mined. Throws if it reverts. */
  send(step: Extract<Step, { kind: 'transaction' }>): Promise<{ txHash: Hex; blockNumber: bigint }>;
  sign(step: Extract<Step, { kind: 'signTypedData' }>): Promise<Hex>;
};

/** The payer's side: a key and a node. */
export function openPayerWallet(chain: Demo['chains'][number], privateKey: string): PayerWallet {
  const account = privateKeyToAccount(hex.parse(privateKey));
  const client = createWalletClient({
    account,
    chain: defineChain({
      id: chain.chainId,
      name: `Chain ${chain.chainId}`,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [chain.rpcUrl] } },
    }),
    transport: http(),
    pollingInterval: 100,
  }).extend(publicActions);
  return {
    address: account.address,
    client,
    async send(step) {
      const call = { to: step.to, data: step.data, value: BigInt(step.value) };
      const estimate = await client.estimateGas({ account, ...call });
      // Add a margin, as wallets do: a call costs more if the escrow has paid out the last of a token since the estimate.
      const txHash = await client.sendTransaction({ ...call, gas: estimate + estimate / 2n });
      const receipt = await client.waitForTransactionReceipt({ hash: txHash, timeout: 60_000 });
      if (receipt.status !== 'success') throw new Error(`“${step.description}” reverted in ${txHash}.`);
      return { txHash, blockNumber: receipt.blockNumber };
    },
    sign: (step) => account.sign({ hash: hashTypedData(step.typedData) }),
  };
}
