import { createServer } from 'node:http';
import { beforeAll, expect, it } from 'vitest';
import { openParts } from '../../src/api/open-parts.ts';
import { queueDeliveries } from '../../src/events/webhooks/queue-deliveries.ts';
import { serveEndpoint } from '../../src/events/webhooks/serve-endpoint.ts';
import { refundPaymentIntent } from '../../src/payments/actions/refund-payment-intent.ts';
import { newId } from '../../src/platform/identifier.ts';
import { traced } from '../../src/platform/request-trace.ts';
import { openApi } from '../setup/api/api.ts';
import { type Gateway, openGateway } from '../setup/gateway/gateway.ts';
import { onTeardown } from '../setup/teardown.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await openGateway();
});

it('passes a request’s id to its transaction, the resulting events, and their webhooks', async () => {
  const { database, clock, scope } = gateway;
  const { id } = await gateway.pay();
  await traced('request-refund-1', () =>
    refundPaymentIntent(gateway.action, { scope, id, amount: '1000000', reason: 'Returned goods' }),
  );
  await gateway.settleDown();

  const outgoing = await database.outgoingTransaction.findFirstOrThrow({ orderBy: { id: 'desc' } });
  expect(outgoing).toMatchObject({ requestId: 'request-refund-1' });
  const events = await database.event.findMany({ where: { resourceId: id }, orderBy: { sequence: 'asc' } });
  const refunded = events.filter((event) => event.type === 'payment_intent.partially_refunded');
  expect(refunded).toMatchObject([{ requestId: 'request-refund-1' }]);
  expect(events.find((event) => event.type === 'payment_intent.captured')).toMatchObject({ requestId: null });

  const received: (string | undefined)[] = [];
  const receiver = createServer((request, response) => {
    received.push(String(request.headers['x-request-id'] ?? ''));
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  onTeardown(() => new Promise<void>((resolve) => receiver.close(() => resolve())));
  const address = receiver.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const endpoint = await database.webhookEndpoint.create({
    data: {
      id: newId(),
      appId: scope.appId ?? '',
      url: `http://127.0.0.1:${port}/`,
      events: ['payment_intent.partially_refunded'],
      secret: `whsec_${Buffer.alloc(24, 1).toString('base64')}`,
    },
  });
  await queueDeliveries({ database }, { appId: scope.appId ?? '', first: 1n, last: 1_000n });
  const until = new Date(clock.now().getTime() + 10_000);
  await serveEndpoint({ database, clock, privateAddresses: true }, { endpointId: endpoint.id, until });
  expect(received).toEqual(['request-refund-1']);
});

it('accepts the id of the API’s caller over GraphQL and REST', async () => {
  const api = await openApi({ parts: openParts });
  const key = api.merchantA.secretKey;
  const document = 'mutation ($input: CreatePaymentIntentInput!) { createPaymentIntent(input: $input) { id } }';
  const made = await api.graphql(
    document,
    { input: { amount: '10.00' } },
    { key, headers: { 'x-request-id': 'from-graphql-1' } },
  );
  expect(made.errors).toBeUndefined();
  const answer = await fetch(`${api.url}/payments/intents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key, 'x-request-id': 'from-rest-00001' },
    body: JSON.stringify({ amount: '10.00' }),
  });
  expect(answer.ok).toBe(true);
  const events = await api.database.event.findMany({ orderBy: { sequence: 'asc' } });
  expect(events.map((event) => event.requestId)).toEqual(['from-graphql-1', 'from-rest-00001']);
});
