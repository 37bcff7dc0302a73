/** An API with two chains, one of them faulty, remains ready and names the faulty chain on request. */
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { openParts } from '../../src/api/open-parts.ts';
import { openReadiness } from '../../src/operations/health/read-readiness.ts';
import { openMetrics } from '../../src/platform/metrics.ts';
import { openServiceEndpoints } from '../../src/platform/service-endpoints.ts';
import { type CheckoutGround, openCheckoutGround } from '../checkout/checkout-ground.ts';
import { freePort } from '../setup/free-port.ts';

/** Base Sepolia, whose node is down. */
const DOWN = 84532;

let ground: CheckoutGround;

beforeAll(async () => {
  ground = await openCheckoutGround({
    rpc: { [DOWN]: `http://127.0.0.1:${await freePort()}` },
    parts: (world) => {
      const metrics = openMetrics({ part: 'api', log: world.log });
      const service = openServiceEndpoints(
        { metrics, readiness: openReadiness(world), log: world.log },
        { metricsFor: 'NOBODY' },
      );
      return { ...openParts(world), service };
    },
  });
});
beforeEach(async () => {
  await ground.api.database.chainCursor.deleteMany({});
});

const ask = async (path: string) => {
  const response = await fetch(`${ground.api.url}${path}`);
  return { status: response.status, lines: (await response.text()).split('\n') };
};

async function prepare(chainId: number) {
  const { evm } = ground;
  const session = await ground.openSession();
  const wallet = { walletAddress: evm.payers[0].address, method: 'DIRECT' };
  const { status, body } = await ground.prepare(session, { ...wallet, chainId, tokenKey: `USDC-${chainId}` });
  return { status, code: body.error?.code };
}

const observe = (chainId: number, rest: object = {}) =>
  ground.api.database.chainCursor.create({
    data: {
      chainId,
      headHash: '0xab',
      headTimestamp: BigInt(Math.floor(Date.now() / 1000)),
      observedAt: new Date(),
      ...rest,
    },
  });

it('is ready while the node of one chain is down, which only calls for that chain report', async () => {
  await observe(ground.evm.chainId);
  expect(await ask('/readyz')).toEqual({ status: 200, lines: ['ready'] });
  expect(await ask('/readyz?verbose')).toEqual({
    status: 200,
    lines: [
      'ready',
      expect.stringMatching(/^Chain 31337 \(Local\) is healthy\.$/),
      expect.stringMatching(/^Chain 84532 \(.+\) has not been observed yet\.$/),
    ],
  });
  expect(await prepare(DOWN)).toEqual({ status: 502, code: 'CHAIN_UNAVAILABLE' });
  expect(await prepare(ground.evm.chainId)).toEqual({ status: 200, code: undefined });
});

it.each([
  ['halted', { haltedAt: new Date(), haltReason: 'Final facts are gone.' }, /is halted: Final facts are gone\./],
  ['paused', { pausedAt: new Date() }, /are paused by an operator\./],
])('is ready while a chain is %s, and accepts no new payments on it', async (_name, columns, note) => {
  await observe(ground.evm.chainId, columns);
  expect(await ask('/readyz')).toEqual({ status: 200, lines: ['ready'] });
  expect((await ask('/readyz?verbose')).lines.join('\n')).toMatch(note);
  expect(await prepare(ground.evm.chainId)).toEqual({ status: 503, code: 'CHAIN_PAUSED' });
});

it('is ready while no indexer runs, which the chain’s line reports', async () => {
  await observe(ground.evm.chainId, { observedAt: new Date(Date.now() - 600_000) });
  expect((await ask('/readyz')).status).toBe(200);
  expect((await ask('/readyz?verbose')).lines.join('\n')).toMatch(
    /Chain 31337 \(Local\) was last observed 60\d s ago\./,
  );
});

it('is not ready with a database of another version', async () => {
  const { database } = ground.api;
  const [last] = await database.$queryRaw<{ id: string; name: string }[]>`
    SELECT id, migration_name AS name FROM _prisma_migrations ORDER BY migration_name DESC LIMIT 1`;
  const fresh = openReadiness({ ...ground.api.world });
  await database.$executeRaw`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE id = ${last?.id}`;
  expect((await fresh({ verbose: true })).faults).toEqual([`The database is missing migrations: ${last?.name}.`]);
  await database.$executeRaw`UPDATE _prisma_migrations SET rolled_back_at = NULL WHERE id = ${last?.id}`;
  expect((await fresh({ verbose: false })).faults).toEqual([]);
});
