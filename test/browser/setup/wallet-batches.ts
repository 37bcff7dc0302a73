/** The EIP-5792 methods of the test wallet: it executes batches on the chain, or fails in the ways in which wallets fail. */
import { createPublicClient, type Hex, http, isHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import { type AccountCall, sendDelegated } from './delegate-account.ts';

/**
 * How the wallet handles a batch. atomic: as one transaction of a delegated account (EIP-7702). oneByOne: as one transaction per call, although
 * the wallet has reported that it executes batches atomically. partial: only the first call. failed: sends nothing and reports a failure. mute:
 * executes the batch and never reports its status.
 */
export type BatchMode = 'atomic' | 'oneByOne' | 'partial' | 'failed' | 'mute';

const hexSchema = z.custom<Hex>((value) => isHex(value));
const batchSchema = z.tuple([
  z.object({
    version: z.string(),
    chainId: hexSchema,
    from: hexSchema,
    atomicRequired: z.literal(true),
    calls: z.array(z.object({ to: hexSchema, data: hexSchema, value: hexSchema.optional() })),
  }),
]);

type Sent = { chainId: number; mode: BatchMode; hashes: Hex[] };

export function walletBatches(world: {
  mode: () => BatchMode;
  account: () => PrivateKeyAccount;
  rpcUrls: ReadonlyMap<number, string>;
  sendOne: (call: AccountCall) => Promise<Hex>;
}): Record<string, (params: unknown[]) => unknown> {
  const batches = new Map<string, Sent>();
  const nodeOf = (chainId: number) => createPublicClient({ transport: http(world.rpcUrls.get(chainId)) });
  return {
    wallet_getCapabilities: () =>
      Object.fromEntries(
        [...world.rpcUrls.keys()].map((chainId) => [`0x${chainId.toString(16)}`, { atomic: { status: 'ready' } }]),
      ),
    async wallet_sendCalls(params) {
      const [batch] = batchSchema.parse(params);
      const chainId = Number(batch.chainId);
      const calls = batch.calls.map(({ to, data, value }) => ({ to, data, value: BigInt(value ?? 0) }));
      const mode = world.mode();
      const hashes: Hex[] = [];
      if (mode === 'atomic' || mode === 'mute') {
        hashes.push(await sendDelegated({ account: world.account(), rpcUrl: world.rpcUrls.get(chainId) ?? '' }, calls));
      } else {
        for (const call of mode === 'failed' ? [] : mode === 'partial' ? calls.slice(0, 1) : calls) {
          const hash = await world.sendOne(call);
          await nodeOf(chainId).waitForTransactionReceipt({ hash });
          hashes.push(hash);
        }
      }
      const id = `0x${crypto.randomUUID().replaceAll('-', '')}`;
      batches.set(id, { chainId, mode, hashes });
      return { id };
    },
    async wallet_getCallsStatus([id]) {
      const batch = batches.get(String(id));
      if (!batch) throw new Error('No such batch.');
      const { chainId, mode, hashes } = batch;
      const request = async (hash: Hex) =>
        await nodeOf(chainId).request({ method: 'eth_getTransactionReceipt', params: [hash] });
      const receipts = (await Promise.all(hashes.map(request))).filter((receipt) => receipt !== null);
      const isMined = receipts.length === hashes.length && mode !== 'mute';
      const ended = mode === 'failed' ? 400 : mode === 'partial' ? 600 : 200;
      return {
        version: '2.0.0',
        id,
        chainId: `0x${chainId.toString(16)}`,
        atomic: mode === 'atomic',
        status: isMined ? ended : 100,
        ...(isMined ? { receipts } : {}),
      };
    },
  };
}
