/** `npm start` with ONE_PROCESS: the API, the worker and the indexer share a process, which is killed during a payment. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { balanceFaults, gains } from '../../src/local/demo/balances.ts';
import { openGatewayClient } from '../../src/local/demo/gateway-client.ts';
import { payByMethod } from '../../src/local/demo/pay-by-method.ts';
import { freePorts } from '../setup/free-port.ts';
import { openInstallation } from './installation.ts';

const settleLimitMs = 240_000;

const eventsSchema = z.object({
  paymentIntent: z.object({ status: z.string(), events: z.array(z.object({ type: z.string() })) }),
});

test('one process is killed during a payment and settles it once', async () => {
  const metricsPort = await freePorts(3);
  const installation = await openInstallation({ ONE_PROCESS: 'true', METRICS_PORT: String(metricsPort) });
  await installation.start();
  const files = ['all', 'api', 'worker', 'indexer'].filter((name) =>
    existsSync(join(installation.folder, `${name}.pid`)),
  );
  expect(files).toEqual(['all']);
  expect(installation.output()).toContain('all (process');
  const metrics = await Promise.all([0, 1, 2].map((offset) => metricsOn(metricsPort + offset)));
  for (const [index, part] of ['api', 'worker', 'indexer'].entries())
    expect(metrics[index]).toContain(`part="${part}"`);

  const demo = installation.demo();
  const [chain, payer] = [demo.chains[0], demo.payers[0]];
  if (!chain || !payer) throw new Error('The demo file names too few chains or payers.');
  const gateway = openGatewayClient(demo, settleLimitMs);
  let kills = 0;
  const onMoment = ({ what }: { what: string }) => {
    if (!/^confirmed/.test(what) || kills > 0) return;
    kills += 1;
    installation.kill('all');
  };
  const payment = await payByMethod(
    { demo, gateway, settleLimitMs, onMoment },
    { method: 'PERMIT', amount: '8.40', chainId: chain.chainId, payer },
  );
  expect(kills).toBe(1);
  expect(balanceFaults(gains(payment.before, payment.after), payment.paid)).toEqual([]);
  const document = 'query Events($id: ID!) { paymentIntent(id: $id) { status events { type } } }';
  const { paymentIntent } = await gateway.query(eventsSchema, document, { id: payment.paymentIntentId });
  expect(paymentIntent.status).toBe('SETTLED');
  const types = paymentIntent.events.map(({ type }) => type).filter((type) => type.startsWith('payment_intent.'));
  expect(types).toEqual([
    'payment_intent.created',
    'payment_intent.authorized',
    'payment_intent.captured',
    'payment_intent.settled',
  ]);
  await installation.stop();
});

async function metricsOn(port: number): Promise<string> {
  return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}
