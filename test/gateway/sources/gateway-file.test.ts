/** GATEWAY_SOURCES: what a file may say, and how its faults are told. */
import { expect, test } from 'vitest';
import { schema } from '../../../src/api/graphql/schema.ts';
import { ConfigError, parseConfig } from '../../../src/config.ts';
import { openGateway } from '../../../src/gateway/open-gateway.ts';
import { publishedSchema, schemaIsPublished } from '../../../src/gateway/print-schema.ts';
import { openSources } from '../../../src/gateway/sources/open-sources.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { openConfiguration, shopJoins, startShop, TOKEN } from './source-ground.ts';

const APP = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
const world = { graph: () => schema, clock: systemClock, log: silentLog, observer: { called() {}, breaker() {} } };
const good = {
  name: 'shop',
  handler: { openapi: { source: './openapi.json', endpoint: 'http://127.0.0.1:1' } },
  apps: [APP],
};
const withOpenapi = (changes: object) => ({ ...good, handler: { openapi: { ...good.handler.openapi, ...changes } } });

async function faultsOf(configuration: unknown): Promise<string[]> {
  const error = await openConfiguration(configuration).then(
    async (sources) => {
      for (const source of sources) await source.close();
    },
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return [];
  expect(error).toBeInstanceOf(ConfigError);
  return String((error as ConfigError).message)
    .split('\n')
    .map((line) => line.replace(/^GATEWAY_SOURCES: /, ''));
}

test('names every fault at once, each by its place', async () => {
  const faults = await faultsOf({
    sources: [
      {
        ...withOpenapi({
          endpoint: 'ftp://shop',
          operationHeaders: {
            Cookie: 'a',
            'x-token': '{env.NO_SUCH}',
            'x-of': '{context.headers.authorization}',
            'x-line': 'a\nb',
          },
        }),
      },
      { ...good, name: 'Shop!', apps: [], timeoutMs: 0, colour: 'red' },
      { ...good, apps: ['everybody'] },
      {
        ...good,
        name: 'far',
        handler: { openapi: { source: 'https://shop.example/openapi.json', endpoint: 'http://u:p@shop' } },
      },
      {
        ...good,
        name: 'absent',
        handler: { graphql: { source: './no-such.graphql', endpoint: 'http://127.0.0.1:1/?a=b' } },
      },
    ],
    additionalTypeDefs: `
      type Order { id: ID }
      extend type Query { order: String @resolveTo(sourceName: "absent", sourceTypeName: "Query", sourceFieldName: "order") }
      extend type PaymentIntent {
        status: String
        plain: String
        other: Int! @resolveTo(sourceName: "nobody", sourceTypeName: "Mutation", sourceFieldName: "a", port: 1)
        another: Int @resolveTo(sourceName: "nobody", sourceTypeName: "Query", sourceFieldName: "a", sourceArgs: { id: "{args.id}" })
      }`,
  });
  expect(faults).toEqual([
    'sources[0].handler.openapi.endpoint: an http(s) URL',
    'sources[0].handler.openapi.operationHeaders.Cookie: is set by Sluice, and cannot be configured',
    "sources[0].handler.openapi.operationHeaders.x-token: the variable NO_SUCH is not set, or is one of Sluice's own settings",
    'sources[0].handler.openapi.operationHeaders.x-of: {context.headers.authorization} is not {env.NAME}; nothing of a request is sent to a source',
    'sources[0].handler.openapi.operationHeaders.x-line: printable ASCII characters only',
    'sources[1].name: a lower-case letter, then up to 31 of a-z, 0-9 and -',
    expect.stringMatching(/^sources\[1\]\.apps: Too small/),
    expect.stringMatching(/^sources\[1\]\.timeoutMs: Too small/),
    expect.stringMatching(/^sources\[1\]: Unrecognized key: "colour"/),
    'sources[2].name: shop is in the file twice',
    'sources[2].apps[0]: the id of an app, a UUID',
    'sources[3].handler.openapi.source: a file beside the configuration, not a URL: download it',
    'sources[4].handler.graphql.endpoint: a URL without query, fragment and braces',
    expect.stringMatching(/^source absent: its description \.\/no-such\.graphql cannot be used: ENOENT/),
    'additionalTypeDefs: only "extend type", not type Order {',
    expect.stringMatching(/^additionalTypeDefs\.Query: is no type whose rows are of an app: .*PaymentIntent/),
    'additionalTypeDefs.PaymentIntent.status: is there already',
    'additionalTypeDefs.PaymentIntent.status: needs @resolveTo, and nothing else',
    'additionalTypeDefs.PaymentIntent.plain: needs @resolveTo, and nothing else',
    'additionalTypeDefs.PaymentIntent.other: must be nullable, for the source may be away',
    expect.stringMatching(/^additionalTypeDefs\.PaymentIntent\.other: @resolveTo\.sourceTypeName: /),
    expect.stringMatching(/^additionalTypeDefs\.PaymentIntent\.other: @resolveTo: Unrecognized key: "port"/),
    'additionalTypeDefs.PaymentIntent.another: there is no source nobody',
    'additionalTypeDefs.PaymentIntent.another: sourceArgs needs exactly one value like "{root.externalId}", or use keyField and keysArg',
  ]);
});

const join = (type: string, rest: string, field = 'getOrder') =>
  `extend type PaymentIntent { x: ${type} @resolveTo(sourceName: "shop", sourceTypeName: "Query", sourceFieldName: "${field}", ${rest}) }`;

test.each([
  [join('ShopOrder', 'sourceArgs: { id: "{root.externalId}" }'), 'getOrder has no argument id'],
  [
    join('ShopOrder', 'sourceArgs: { orderId: "{root.secret}" }'),
    'secret is no field of PaymentIntent with one value, nor in its JSON',
  ],
  [
    join('ShopOrder', 'sourceArgs: { orderId: "{root.status.a}" }'),
    'status.a is no field of PaymentIntent with one value, nor in its JSON',
  ],
  [join('Order', 'sourceArgs: { orderId: "{root.externalId}" }'), 'is of type Order, but the source answers ShopOrder'],
  [
    join('[ShopOrder]', 'sourceArgs: { orderId: "{root.externalId}" }'),
    'is of type [ShopOrder], but the source answers ShopOrder',
  ],
  [join('ShopOrder', 'sourceArgs: { orderId: "{root.externalId}" }', 'noOrder'), 'shop has no query noOrder'],
  [
    join('ShopOrder', 'keyField: "externalId", keysArg: "ids", result: "items"', 'listOrders'),
    'keyField, keysArg and valueKeyField belong together',
  ],
  [
    join('ShopOrder', 'keyField: "externalId", keysArg: "ids", valueKeyField: "id", result: "rows"', 'listOrders'),
    'result: OrderList has no field rows',
  ],
  [
    join('ShopOrder', 'keyField: "externalId", keysArg: "ids", valueKeyField: "lines", result: "items"', 'listOrders'),
    'valueKeyField: Order has no such plain field',
  ],
  [
    join('ShopOrder', 'keyField: "externalId", keysArg: "orderId", valueKeyField: "id"'),
    'with keysArg the source must answer a list, not Order',
  ],
])('%s', async (additionalTypeDefs, fault) => {
  const faults = await faultsOf({ sources: [good], additionalTypeDefs });
  expect(faults).toContain(`additionalTypeDefs.PaymentIntent.x: ${fault}`);
});

test('a description that refers elsewhere, or has templates of Mesh, is refused', async () => {
  const { mkdtempSync, writeFileSync } = await import('node:fs');
  const folder = mkdtempSync('/tmp/sluice-description-');
  const write = (name: string, paths: object) => {
    writeFileSync(`${folder}/${name}`, JSON.stringify({ openapi: '3.1.0', info: { title: 'a', version: '1' }, paths }));
    return `${folder}/${name}`;
  };
  const get = {
    get: {
      responses: {
        200: {
          description: 'a',
          content: { 'application/json': { schema: { type: 'object', properties: { a: { type: 'string' } } } } },
        },
      },
    },
  };
  const faults = await faultsOf({
    sources: [
      { ...withOpenapi({ source: write('a.json', { '/a/{env.DATABASE_URL}': get }) }), name: 'a' },
      { ...withOpenapi({ source: write('b.json', { '/b': { $ref: 'http://127.0.0.1:1/b.json' } }) }), name: 'b' },
      { ...withOpenapi({ source: write('c.json', { '/c': get }) }), name: 'c' },
      { ...withOpenapi({ source: './module.ts' }), name: 'd' },
    ],
  });
  expect(faults).toEqual([
    'sources[3].handler.openapi.source: a file of JSON, YAML or SDL, without braces in its name',
    `source a: its description ${folder}/a.json cannot be used: it has the template /a/{env.DATABASE_URL}`,
    `source b: its description ${folder}/b.json cannot be used: it refers to another file, http://127.0.0.1:1/b.json: bundle it into one`,
  ]);
});

test('nothing is sent at the start, and what is published stays the core’s', async () => {
  const shop = await startShop();
  const sources = await openConfiguration({
    sources: [withOpenapi({ endpoint: shop.url })],
    additionalTypeDefs: shopJoins,
  });
  const graph = await openGateway({ core: schema, log: silentLog, sources });
  expect(graph.schema.getType('ShopOrder')).toBeDefined();
  expect(schema.getType('ShopOrder')).toBeUndefined();
  expect(publishedSchema()).not.toContain('ShopOrder');
  expect(schemaIsPublished()).toBe(true);
  expect(Object.keys(graph.schema.getQueryType()?.getFields() ?? {})).toEqual(
    Object.keys(schema.getQueryType()?.getFields() ?? {}),
  );
  await graph.close();
  expect(shop.log).toEqual([]);
  const alone = await openGateway({ core: schema, log: silentLog });
  expect(alone.schema).toBe(schema);
  await alone.close();
});

test('the example is a configuration, and of the environment only what is not ours reaches it', async () => {
  const environment = {
    DATABASE_URL: 'postgresql://a:b@127.0.0.1:1/c',
    OPERATOR_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
    RPC_URL_1: 'https://node.example/key',
    GATEWAY_SOURCES: 'examples/shop-orders/gateway.yaml',
    SHOP_TOKEN: TOKEN,
    SHOP_APP_ID: APP,
  };
  const { gatewaySources } = parseConfig(environment);
  expect(gatewaySources?.variables).toEqual(
    new Map([
      ['SHOP_TOKEN', TOKEN],
      ['SHOP_APP_ID', APP],
    ]),
  );
  const sources = await openSources(world, gatewaySources);
  expect(sources).toHaveLength(1);
  for (const source of sources) await source.close();
  expect(parseConfig({ DATABASE_URL: environment.DATABASE_URL }).gatewaySources).toBeUndefined();
});

test('a file that is absent or no YAML ends the start', async () => {
  await expect(openSources(world, { file: '/no/such/gateway.yaml', variables: new Map() })).rejects.toThrow(
    /^GATEWAY_SOURCES: ENOENT/,
  );
  expect((await faultsOf('sources: [')).join()).not.toBe('');
  expect(await faultsOf('a: 1')).toEqual([
    'sources: Invalid input: expected array, received undefined',
    'the file: Unrecognized key: "a"',
  ]);
});
