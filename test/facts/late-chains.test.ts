import { expect, it } from 'vitest';
import { openEvmNodes } from '../../src/chains/evm/nodes.ts';
import { runIndexer } from '../../src/facts/run-indexer.ts';
import { paymentFactHandlers } from '../../src/payments/facts/payment-fact-handler.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { silentLog } from '../../src/platform/log.ts';
import { openGround } from '../payments/ground.ts';
import { handListener } from '../setup/api/hand-listener.ts';
import { openRpcGate } from '../setup/chains/rpc-gate.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

it('indexes a chain whose node is down at the first start once the node answers', async () => {
  const { database, registry: local, evm, url, ...ground } = await openGround();
  const gate = await openRpcGate(evm.rpcUrl);
  gate.failing = () => true;
  // A public chain is read from the head at its first start, which is asked of the node.
  const chain = { ...local.chain(evm.chainId), local: false };
  const registry = { ...local, enabled: () => [chain], chain: () => chain } as typeof local;
  const rpc = [{ ...evm.rpcSettings, urls: [gate.url] }];
  const nodes = openEvmNodes({ registry, rpc });
  const indexer = await runIndexer({
    config: {
      database: { url, directUrl: url, poolSize: 5 },
      ponder: { port: await freePort(), schema: 'ponder' },
      rpc,
    },
    registry,
    nodes,
    database,
    clock: systemClock,
    log: silentLog,
    listener: handListener().listener,
    handlers: paymentFactHandlers({ database, registry, nodes, clock: systemClock, hooks: {}, log: silentLog }),
    joinEveryMs: 100,
  });
  onTeardown(() => indexer.stop());
  expect(indexer.faults()).toEqual([]);
  expect(indexer.notes()).toEqual([expect.stringContaining(`The node of chain ${evm.chainId} has not answered`)]);
  gate.failing = () => false;
  await expect.poll(() => indexer.notes(), { timeout: 30_000 }).toEqual([]);
  const intent = await ground.intent();
  await ground.authorize(await ground.sign(intent));
  await expect.poll(async () => (await ground.read(intent.id)).status, { timeout: 30_000 }).toBe('CAPTURED');
});
