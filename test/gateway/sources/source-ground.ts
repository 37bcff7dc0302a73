/** An API with sources: real servers on ports of the system's choice, which log each request that they get. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSchema, createYoga } from 'graphql-yoga';
import { stringify } from 'yaml';
import { shopListener } from '../../../examples/shop-orders/server.ts';
import { schema } from '../../../src/api/graphql/schema.ts';
import { openSources } from '../../../src/gateway/sources/open-sources.ts';
import { openInstruments } from '../../../src/operations/metrics/instruments.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { openMetrics } from '../../../src/platform/metrics.ts';
import type { TestApp } from '../../setup/api/api.ts';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';
import { onTeardown } from '../../setup/teardown.ts';

export const TOKEN = 'shop-token-of-the-configuration';

export type Logged = { method: string; url: string; headers: IncomingHttpHeaders; body: string };

export type SourceServer = {
  url: string;
  log: Logged[];
  /** Sets the responses from now on. Undefined restores the default ones. */
  behave(listener: RequestListener | undefined): void;
  /** Resolves when this many requests have arrived since the log was last emptied. */
  untilAsked(times: number): Promise<void>;
  close(): Promise<void>;
};

export async function startSource(usual: RequestListener): Promise<SourceServer> {
  const log: Logged[] = [];
  let special: RequestListener | undefined;
  let wake = () => {};
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const logged = { method, url, headers, body: '' };
    log.push(logged);
    wake();
    if (special) return void special(request, response);
    usual(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    return closed;
  };
  onTeardown(close);
  return {
    url: `http://127.0.0.1:${port}`,
    log,
    behave: (listener) => {
      special = listener;
    },
    async untilAsked(times) {
      while (log.length < times) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    close,
  };
}

/** Every number that begins with 4 is an order. */
export const startShop = () =>
  startSource(
    shopListener({ token: TOKEN }, (ids) =>
      ids
        .filter((id) => id.startsWith('4'))
        .map((id) => ({
          id,
          state: 'SHIPPED',
          placedAt: '2026-11-21T10:00:00Z',
          lines: [{ sku: 'TEE', title: `Of ${id}`, quantity: 3 }],
        })),
    ),
  );

export const graphqlDescription = /* GraphQL */ `
  type Query {
    order(number: String!): Order
    owned(number: String!, app: ID!): Order
    note(number: String!): Anything
    receipt(no: Int!): Int
    parcels(order: String!, carrier: Carrier): [Parcel!]
  }
  scalar Anything
  enum Carrier { POST COURIER }
  interface Parcel { weight: Int! }
  type Letter implements Parcel { weight: Int! stamps: Int! }
  type Box implements Parcel { weight: Int! height(unit: String = "cm"): Int }
  type Order { number: String! total: Int! note(language: String!): String }
`;

export function startGraphqlShop(): Promise<SourceServer> {
  const yoga = createYoga({
    logging: false,
    schema: createSchema({
      typeDefs: graphqlDescription,
      resolvers: {
        Query: {
          order: (_root, { number }) => (String(number).startsWith('4') ? { number, total: 7 } : null),
          owned: (_root, { number, app }) => ({ number: `${number} of ${app}`, total: 8 }),
          note: () => ({ of: 'any shape' }),
          receipt: (_root, { no }) => no + 1,
          parcels: () => [
            { __typename: 'Letter', weight: 20, stamps: 2 },
            { __typename: 'Box', weight: 900, height: 30 },
          ],
        },
      },
    }),
  });
  return startSource(yoga as unknown as RequestListener);
}

/** A configuration like the example, with other limits. */
export function shopEntry(shop: Pick<SourceServer, 'url'>, apps: TestApp[], limits: object = {}) {
  return {
    name: 'shop',
    handler: {
      openapi: {
        source: './openapi.json',
        endpoint: shop.url,
        operationHeaders: { authorization: 'Bearer {env.SHOP_TOKEN}' },
      },
    },
    apps: apps.map(({ appId }) => appId),
    ...limits,
  };
}

const resolveTo = (field: string, rest: string) =>
  `@resolveTo(sourceName: "shop", sourceTypeName: "Query", sourceFieldName: "${field}", ${rest})`;
export const shopJoins = `
  extend type PaymentIntent {
    order: ShopOrder ${resolveTo('listOrders', 'keyField: "metadata.order", keysArg: "ids", result: "items", valueKeyField: "id"')}
    oneOrder: ShopOrder ${resolveTo('getOrder', 'sourceArgs: { orderId: "{root.metadata.order}" }')}
    orderById: ShopOrder ${resolveTo('getOrder', 'sourceArgs: { orderId: "{root.externalId}" }')}
  }
`;

/** Removed when the test file ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-sources-'));
  onTeardown(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes the configuration with its descriptions into a new folder. */
export function writeGatewayFile(configuration: unknown): string {
  const folder = newFolder();
  const description = new URL('../../../examples/shop-orders/openapi.json', import.meta.url);
  writeFileSync(join(folder, 'openapi.json'), readFileSync(description));
  writeFileSync(join(folder, 'shop.graphql'), graphqlDescription);
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, typeof configuration === 'string' ? configuration : stringify(configuration));
  return file;
}

export const variables = new Map([['SHOP_TOKEN', TOKEN]]);

/** Reads a configuration like a starting process. */
export function openConfiguration(configuration: unknown) {
  return openSources(
    { graph: () => schema, clock: systemClock, log: silentLog, observer: { called() {}, breaker() {} } },
    { file: writeGatewayFile(configuration), variables },
  );
}

type Apps = Pick<RestApi, 'merchantA' | 'merchantB' | 'liveApp'>;

export async function openSourcesApi(
  configure: (apps: Apps) => { sources: object[]; additionalTypeDefs: string },
  environment: Record<string, string> = {},
) {
  const metrics = openMetrics({ part: 'api', log: silentLog });
  const observer = openInstruments(metrics).sources;
  const api = await openRestApi({
    environment,
    sources: ({ world, ...apps }) => {
      const file = writeGatewayFile(configure(apps));
      return openSources({ graph: () => schema, clock: world.clock, log: world.log, observer }, { file, variables });
    },
  });
  return {
    ...api,
    metrics: () => metrics.text(),
    /** Makes an intent of the app, whose order has this number; its id. */
    async intent(app: TestApp, order: unknown, externalId: string | null = null): Promise<string> {
      const create = `mutation ($metadata: JSONObject, $externalId: String) {
        createPaymentIntent(input: { amount: "12.50", currency: "USD", metadata: $metadata, externalId: $externalId }) { id }
      }`;
      const { data } = await api.graphql(create, { metadata: { order }, externalId }, { key: app.secretKey });
      return data.createPaymentIntent.id;
    },
  };
}
