/** A receiver behind the gateway's own deliveries: a payment on a real chain, a failing handler, and a receiver that was offline. */
import { createServer, type Server } from 'node:http';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { createSluice } from '../../packages/sdk/src/index.ts';
import { createReceiver, postgresStore } from '../../packages/sdk/src/receiver/index.ts';
import { freePort } from '../setup/free-port.ts';
import { openRunningGateway, type RunningGateway } from '../setup/gateway/running-gateway.ts';
import { onTeardown } from '../setup/teardown.ts';

vi.setConfig({ testTimeout: 240_000 });

it('a shop marks its orders as paid once and in order, despite failed deliveries', async () => {
  const gateway = await openRunningGateway({ environment: { WEBHOOK_PRIVATE_ADDRESSES: 'true' } });
  const { appId } = gateway.scope;
  const sluice = createSluice({ baseUrl: gateway.url, apiKey: gateway.key });
  const pool = new pg.Pool({ connectionString: gateway.databaseUrl, max: 4 });
  onTeardown(() => pool.end());
  await pool.query('CREATE TABLE shop_log (sequence integer UNIQUE, type text)');
  const port = await freePort();
  const { secret } = await sluice.webhookEndpoints.create(appId, { url: `http://127.0.0.1:${port}/`, events: ['*'] });

  let failures = 0;
  const receiver = createReceiver<pg.PoolClient>({
    sluice,
    secret,
    store: postgresStore<pg.PoolClient>({ pool }),
    handle: async (event, client) => {
      await client.query('INSERT INTO shop_log VALUES ($1, $2)', [event.sequence, event.type]);
      if (event.type === 'payment_intent.authorized' && failures++ < 2) throw new Error('The shop is away.');
    },
    onError: () => undefined,
  });
  onTeardown(async () => receiver.close());
  const open = async (): Promise<Server> => {
    const server = createServer((request, response) => receiver.express(request, response, () => response.destroy()));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    onTeardown(async () => server.closeAllConnections());
    return server;
  };
  const log = async () => (await pool.query('SELECT sequence, type FROM shop_log ORDER BY sequence')).rows;
  const types = async () => (await log()).map(({ type }) => type);

  const server = await open();
  await pay(gateway, sluice);
  await vi.waitFor(async () => expect(await types()).toContain('payment_intent.captured'), { timeout: 60_000 });
  expect(failures).toBeGreaterThan(2);

  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await sluice.paymentIntents.create({ amount: '1' });
  await sluice.paymentIntents.create({ amount: '2' });
  await open();
  await receiver.catchUp();
  const { data: events } = await sluice.events.list({ limit: 1000 });
  await vi.waitFor(async () => expect((await log()).length).toBe(events.length), { timeout: 60_000 });
  expect(await log()).toEqual(events.map(({ sequence, type }) => ({ sequence, type })));
});

async function pay(gateway: RunningGateway, sluice: ReturnType<typeof createSluice>): Promise<void> {
  const intent = await sluice.paymentIntents.create({ amount: '20.00' });
  const session = await sluice.checkoutSessions.create({ paymentIntentId: intent.id });
  const [payer] = gateway.evm.payers;
  const { steps } = await sluice.checkoutSessions.prepare(session.id, {
    chainId: gateway.evm.chainId,
    tokenKey: `USDC-${gateway.evm.chainId}`,
    walletAddress: payer.address,
    method: 'DIRECT',
  });
  await gateway.doSteps(payer, steps as Parameters<RunningGateway['doSteps']>[1]);
}
