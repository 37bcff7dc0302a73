/** The watcher as a process runs it: by itself, one a chain, and through failures of its node. */
import { expect, it, vi } from 'vitest';
import { runSolanaWatcher } from '../../../src/facts/solana/run-solana-watcher.ts';
import { factTable } from '../../../src/main/fact-table.ts';
import { openVaultReader } from '../../../src/payments/solana/open-vault-reader.ts';
import { openAdvisoryLocks } from '../../../src/platform/advisory-locks.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { openSolanaGateway } from '../../setup/gateway/solana-gateway.ts';
import { onTeardown } from '../../setup/teardown.ts';

const patiently = { timeout: 50_000, interval: 20 };

it('waits for the lock of the chain, continues after its node failed, and accepts a payment by itself', async () => {
  const gateway = await openSolanaGateway();
  const { solana, world, url } = gateway;
  const locks = openAdvisoryLocks({ url, log: silentLog });
  onTeardown(() => locks.close());
  const seen = { asked: 0, observed: 0, failed: 0 };
  const counting: typeof locks = {
    ...locks,
    tryWith: async (...request) => {
      seen.asked += 1;
      return await locks.tryWith(...request);
    },
  };
  const observer = {
    observed: () => {
      seen.observed += 1;
    },
    failed: () => {
      seen.failed += 1;
    },
  };
  const other = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holding = gateway.locks.tryWith(`projector:${solana.chainId}`, async () => {
    held.resolve();
    await other.promise;
  });
  await held.promise;
  solana.node.failNext({ status: 503 }, { method: 'getSlot', times: 12 });
  const watcher = runSolanaWatcher(
    { ...world, locks: counting, handlers: factTable(world), reader: openVaultReader(world), observer },
    { chains: [{ chainId: solana.chainId, intervalMs: 20 }] },
  );
  onTeardown(() => watcher.stop());
  await vi.waitFor(() => expect(seen.asked).toBeGreaterThan(1), patiently);
  expect(seen).toMatchObject({ observed: 0, failed: 0 });
  other.resolve();
  expect(await holding).toBe(true);

  await vi.waitFor(() => expect(seen.observed).toBeGreaterThan(0), patiently);
  expect(seen.failed).toBeGreaterThan(0);
  const quoted = await gateway.quote();
  await gateway.pay(quoted);
  solana.advance();
  await vi.waitFor(async () => expect((await gateway.read(quoted.intent.id)).status).toBe('CAPTURED'), patiently);
  await watcher.stop();
  const { observed } = seen;
  solana.advance();
  expect(await gateway.locks.tryWith(`projector:${solana.chainId}`, async () => undefined)).toBe(true);
  expect(seen.observed).toBe(observed);
});

it('is woken by the node’s websocket, and again after it was dropped', async () => {
  const gateway = await openSolanaGateway();
  const { solana, world, url } = gateway;
  const locks = openAdvisoryLocks({ url, log: silentLog });
  onTeardown(() => locks.close());
  const watcher = runSolanaWatcher(
    { ...world, locks, handlers: factTable(world), reader: openVaultReader(world) },
    // By polling alone nothing would be told while this test runs.
    { chains: [{ chainId: solana.chainId, intervalMs: 3_600_000, wsUrl: solana.node.wsUrl }] },
  );
  onTeardown(() => watcher.stop());
  const payAndWait = async () => {
    const before = solana.node.openSubscriptions();
    const quoted = await gateway.quote();
    await vi.waitFor(() => expect(solana.node.openSubscriptions()).toBeGreaterThan(before), patiently);
    await gateway.pay(quoted);
    solana.advance();
    await vi.waitFor(async () => expect((await gateway.read(quoted.intent.id)).status).toBe('CAPTURED'), patiently);
  };
  await payAndWait();
  solana.node.dropSockets();
  await vi.waitFor(() => expect(solana.node.openSubscriptions()).toBe(0), patiently);
  await payAndWait();
});

it('leaves a chain without vaults unread, and reads it as soon as there is one', async () => {
  const gateway = await openSolanaGateway();
  const { solana, world, url } = gateway;
  const locks = openAdvisoryLocks({ url, log: silentLog });
  onTeardown(() => locks.close());
  let observed = 0;
  const observer = {
    observed: () => {
      observed += 1;
    },
  };
  const watcher = runSolanaWatcher(
    { ...world, locks, handlers: factTable(world), reader: openVaultReader(world), observer },
    // Nothing but a new vault ends a pause of an hour.
    { chains: [{ chainId: solana.chainId, intervalMs: 3_600_000 }] },
  );
  onTeardown(() => watcher.stop());
  await vi.waitFor(() => expect(observed).toBe(1), patiently);
  await gateway.quote();
  await vi.waitFor(() => expect(observed).toBe(2), patiently);
});
