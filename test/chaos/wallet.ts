/** A payer's wallet on one chain. It rebroadcasts a transaction that the chain has lost, as the mempools of nodes do. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Address, createPublicClient, type Hex, hashTypedData, http, isHex, keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Step } from '../../src/local/demo/payer-wallet.ts';
import type { Demo } from '../../src/local/demo-file.ts';

export type Wallet = {
  chainId: number;
  address: Address;
  sign(typedData: Extract<Step, { kind: 'signTypedData' }>['typedData']): Promise<Hex>;
  /** Returns the hash as soon as the transaction is signed, and keeps sending the transaction until it is mined. */
  send(call: { to: Address; data?: Hex; value?: bigint }): Promise<Hex>;
  /** Resolves when the transaction is first mined. Throws if it reverted, or after `limitMs`. */
  mined(hash: Hex, limitMs: number): Promise<void>;
  close(): void;
};

const GAS = 1_000_000n;
const FEE_WEI = 100_000_000_000n;
const BROADCAST_EVERY_MS = 1_500;
const LOOK_EVERY_MS = 300;

export function openWallet(chain: Demo['chains'][number], privateKey: string): Wallet {
  if (!isHex(privateKey)) throw new Error('Not a private key.');
  const account = privateKeyToAccount(privateKey);
  const client = createPublicClient({
    transport: http(chain.rpcUrl, { retryCount: 0, timeout: 10_000 }),
    cacheTime: 0,
  });
  const sent: Hex[] = [];
  let firstNonce: number | undefined;
  const broadcast = async () => {
    if (firstNonce === undefined || sent.length === 0) return;
    const nonce = await client.getTransactionCount({ address: account.address });
    for (const serializedTransaction of sent.slice(Math.max(0, nonce - firstNonce))) {
      // The transaction may already be in the mempool.
      await client.sendRawTransaction({ serializedTransaction }).catch(() => undefined);
    }
  };
  let broadcasting = false;
  const timer = setInterval(() => {
    if (broadcasting) return;
    broadcasting = true;
    const done = () => {
      broadcasting = false;
    };
    broadcast().then(done, done);
  }, BROADCAST_EVERY_MS);
  timer.unref();
  return {
    chainId: chain.chainId,
    address: account.address,
    sign: (typedData) => account.sign({ hash: hashTypedData(typedData) }),
    async send({ to, data, value }) {
      firstNonce ??= await client.getTransactionCount({ address: account.address });
      const serialized = await account.signTransaction({
        chainId: chain.chainId,
        type: 'eip1559',
        nonce: firstNonce + sent.length,
        to,
        data,
        value,
        gas: GAS,
        maxFeePerGas: FEE_WEI,
        maxPriorityFeePerGas: 1n,
      });
      sent.push(serialized);
      await broadcast().catch(() => undefined);
      return keccak256(serialized);
    },
    async mined(hash, limitMs) {
      const deadline = performance.now() + limitMs;
      while (performance.now() < deadline) {
        const receipt = await client.getTransactionReceipt({ hash }).catch(() => undefined);
        if (receipt?.status === 'success') return;
        if (receipt) throw new Error(`Transaction ${hash} reverted.`);
        await delay(LOOK_EVERY_MS);
      }
      throw new Error(`Transaction ${hash} is not mined.`);
    },
    close: () => clearInterval(timer),
  };
}
