/** A second node with a copy of the chain, which diverges from now on. Represents a lagging node or a fork. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createTestClient, http } from 'viem';
import { z } from 'zod';
import { startEvmNode } from '../../../src/local/evm-node.ts';
import { freePort } from '../free-port.ts';
import { onTeardown } from '../teardown.ts';
import type { TestEvm } from './evm.ts';

export type Fork = { rpcUrl: string; mine(blocks: number): Promise<void> };

/** Stopped when the test file ends. `slotsInAnEpoch` must be that of the first node. */
export async function forkChain(evm: TestEvm, { slotsInAnEpoch }: { slotsInAnEpoch: number }): Promise<Fork> {
  const folder = join(tmpdir(), `sluice-fork-${process.pid}-${crypto.randomUUID().slice(0, 8)}`);
  mkdirSync(folder);
  const stateFile = join(folder, 'evm');
  const dumped = await evm.testClient.dumpState();
  writeFileSync(stateFile, gunzipSync(Buffer.from(dumped.slice(2), 'hex')));
  const node = await startEvmNode({ chainId: evm.chainId, port: await freePort(), stateFile, slotsInAnEpoch });
  onTeardown(async () => {
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const client = createTestClient({ mode: 'anvil', transport: http(node.rpcUrl) });
  const { number } = z
    .object({ number: z.string() })
    .parse(await client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] } as never));
  const head = await evm.publicClient.getBlock({ blockNumber: BigInt(number) });
  if (head.number !== (await evm.publicClient.getBlockNumber())) throw new Error('The fork has a different height.');
  return { rpcUrl: node.rpcUrl, mine: (blocks) => client.mine({ blocks, interval: 1 }) };
}
