/** GATEWAY_SOURCES: the allowed contents of a file, and the errors for its faults. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../../src/api/graphql/schema.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { ConfigError } from '../../../src/config/config-error.ts';
import { openGateway } from '../../../src/gateway/open-gateway.ts';
import { publishedSchema, schemaIsPublished } from '../../../src/gateway/print-schema.ts';
import { openSources } from '../../../src/gateway/sources/open-sources.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { newFolder, openConfiguration, shopJoins, startShop, TOKEN } from './source-ground.ts';

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

test('names every fault with its path', async () => {
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
    'sources[2].name: shop occurs twice in the file',
    'sources[2].apps[0]: the id of an app, a UUID',
    'sources[3].handler.openapi.source: a file beside the configuration, not a URL: download it',
    'sources[4].handler.graphql.endpoint: a URL without query, fragment and braces',
    expect.stringMatching(/^source absent: its description \.\/no-such\.graphql cannot be used: ENOENT/),
    'additionalTypeDefs: only "extend type", not type Order {',
    expect.stringMatching(
      /^additionalTypeDefs: `Query` cannot be extended because it has no `appId` field\. Types that can be extended: .*PaymentIntent/,
    ),
    'additionalTypeDefs.PaymentIntent.status: the field already exists',
    'additionalTypeDefs.PaymentIntent.status: must have the @resolveTo directive and no other',
    'additionalTypeDefs.PaymentIntent.plain: must have the @resolveTo directive and no other',
    'additionalTypeDefs.PaymentIntent.other: must be nullable, for the source may be away',
    expect.stringMatching(/^additionalTypeDefs\.PaymentIntent\.other: @resolveTo\.sourceTypeName: /),
    expect.stringMatching(/^additionalTypeDefs\.PaymentIntent\.other: @resolveTo: Unrecognized key: "port"/),
    'additionalTypeDefs.PaymentIntent.another: there is no source nobody',
    'additionalTypeDefs.PaymentIntent.another: sourceArgs needs exactly one value like "{root.externalId}", or use keyField and keysArg',
  ]);
});

const joining = (type: string, rest: string, field = 'getOrder') =>
  `extend type PaymentIntent { x: ${type} @resolveTo(sourceName: "shop", sourceTypeName: "Query", sourceFieldName: "${field}", ${rest}) }`;

test.each([
  [joining('ShopOrder', 'sourceArgs: { id: "{root.externalId}" }'), 'getOrder has no argument id'],
  [
    joining('ShopOrder', 'sourceArgs: { orderId: "{root.secret}" }'),
    'secret is no field of PaymentIntent with one value, nor in its JSON',
  ],
  [
    joining('ShopOrder', 'sourceArgs: { orderId: "{root.status.a}" }'),
    'status.a is no field of PaymentIntent with one value, nor in its JSON',
  ],
  [
    joining('Order', 'sourceArgs: { orderId: "{root.externalId}" }'),
    'is of type Order, but the source answers ShopOrder',
  ],
  [
    joining('[ShopOrder]', 'sourceArgs: { orderId: "{root.externalId}" }'),
    'is of type [ShopOrder], but the source answers ShopOrder',
  ],
  [joining('ShopOrder', 'sourceArgs: { orderId: "{root.externalId}" }', 'noOrder'), 'shop has no query noOrder'],
  [
    joining('ShopOrder', 'keyField: "externalId", keysArg: "ids", result: "items"', 'listOrders'),
    'keyField, keysArg and valueKeyField belong together',
  ],
  [
    joining('ShopOrder', 'keyField: "externalId", keysArg: "ids", valueKeyField: "id", result: "rows"', 'listOrders'),
    'result: OrderList has no field rows',
  ],
  [
    joining(
      'ShopOrder',
      'keyField: "externalId", keysArg: "ids", valueKeyField: "lines", result: "items"',
      'listOrders',
    ),
    'valueKeyField: Order has no such plain field',
  ],
  [
    joining('ShopOrder', 'sourceArgs: { orderId: "{root.externalId}" }, additionalArgs: { orderId: "42" }'),
    'the argument orderId is given twice',
  ],
  [
    joining('ShopOrder', 'sourceArgs: { orderId: "{root.externalId}", app: "{root.appId}" }'),
    'getOrder has no argument app',
  ],
  [
    joining(
      'ShopOrder',
      'keyField: "externalId", keysArg: "ids", valueKeyField: "id", result: "items", additionalArgs: { ids: ["42"] }',
      'listOrders',
    ),
    'the argument ids is given twice',
  ],
  [
    joining('ShopOrder', 'keyField: "externalId", keysArg: "orderId", valueKeyField: "id"'),
    'with keysArg the source must answer a list, not Order',
  ],
])('%s', async (additionalTypeDefs, fault) => {
  const faults = await faultsOf({ sources: [good], additionalTypeDefs });
  expect(faults).toContain(`additionalTypeDefs.PaymentIntent.x: ${fault}`);
});

const answering = (schema: object) => ({
  responses: { 200: { description: 'a', content: { 'application/json': { schema } } } },
});
const get = { get: answering({ type: 'object', properties: { a: { type: 'string' } } }) };
const takes = (...names: string[]) => ({
  get: { ...get.get, parameters: names.map((name) => pathParameter(name)) },
});
const pathParameter = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });

/** The faults of a source with this schema. */
async function faultsOfDescription(description: object): Promise<string[]> {
  const file = join(newFolder(), 'a.json');
  writeFileSync(file, JSON.stringify({ openapi: '3.1.0', info: { title: 'a', version: '1' }, ...description }));
  const faults = await faultsOf({ sources: [withOpenapi({ source: file })] });
  return faults.map((fault) => fault.replace(`source shop: its description ${file} cannot be used: `, ''));
}

test('constants and the id of the app are allowed as arguments next to the key', async () => {
  const source = (args: string) => ({
    sources: [{ ...good, handler: { graphql: { source: './shop.graphql', endpoint: 'http://127.0.0.1:1' } } }],
    additionalTypeDefs: joining('[ShopParcel]', `sourceArgs: { order: "{root.externalId}", ${args} }`, 'parcels'),
  });
  expect(await faultsOf(source('carrier: "POST"'))).toEqual([]);
  expect(await faultsOf(source('carrier: "{root.appId}"'))).toEqual([
    'additionalTypeDefs.PaymentIntent.x: the argument carrier is of type Carrier, which does not take the id of an app',
  ]);
  const twoKeys = await faultsOf(source('carrier: "{root.status}"'));
  expect(twoKeys).toEqual([expect.stringContaining('sourceArgs needs exactly one value like "{root.externalId}"')]);
  const inAdditional = { ...source('carrier: "POST"') };
  inAdditional.additionalTypeDefs = inAdditional.additionalTypeDefs.replace(
    '})',
    '}, additionalArgs: { carrier: "{root.status}" })',
  );
  expect(await faultsOf(inAdditional)).toContain(
    'additionalTypeDefs.PaymentIntent.x: the argument carrier is given twice',
  );
});

test('a description must be a file without references to other files', async () => {
  const faults = await faultsOf({ sources: [withOpenapi({ source: './module.ts' })] });
  expect(faults).toEqual([
    'sources[0].handler.openapi.source: a file of JSON, YAML or SDL, without braces in its name',
  ]);
  expect(await faultsOfDescription({ paths: { '/b': { $ref: 'http://127.0.0.1:1/b.json' } } })).toEqual([
    'paths./b.$ref: it refers to another file, http://127.0.0.1:1/b.json: bundle it into one',
  ]);
});

test.each([
  '/a/{env.DATABASE_URL}',
  '/a/{[env].DATABASE_URL}',
  '/a/{["env"]["DATABASE_URL"]}',
  '/a/{ env.DATABASE_URL }',
  '/a/{env}',
  '/a/{context}',
  '/a/{id}/{id}',
  '/a/{id}/{other}',
  '/a/{id:x}',
  '/a/{id|env}',
  '/a/{id}/{',
  '/a/{id}}',
  '/a/{{id}}',
])('the path %s has a template that is not a path parameter, and is rejected', async (template) => {
  expect(await faultsOfDescription({ paths: { [template]: takes('id') } })).toEqual([
    `paths.${template}: each {…} must be the name of a path parameter of get, and appear once`,
  ]);
});

test('path parameters have names of letters, digits, - and _, and are declared for the path', async () => {
  const refused = (template: string) => [
    `paths.${template}: each {…} must be the name of a path parameter of get, and appear once`,
  ];
  expect(await faultsOfDescription({ paths: { '/a/{[env].HOME}': takes('[env].HOME') } })).toEqual(
    refused('/a/{[env].HOME}'),
  );
  const inQuery = { get: { ...get.get, parameters: [{ name: 'env', in: 'query', schema: { type: 'string' } }] } };
  expect(await faultsOfDescription({ paths: { '/a/{env}': inQuery } })).toEqual(refused('/a/{env}'));
  const twice = { '/a/{env}/{env}': takes('env') };
  expect(await faultsOfDescription({ paths: twice })).toEqual(refused('/a/{env}/{env}'));
  expect(await faultsOfDescription({ paths: { $ref: '#/x-paths' }, 'x-paths': { '/a/{[env].HOME}': get } })).toEqual([
    'paths: refers to another place',
  ]);
  expect(
    await faultsOfDescription({
      paths: {
        '/a/{order-id}': { parameters: [{ $ref: '#/components/parameters/Id' }], ...get },
        '/b/{env}/{x_1}.json': takes('env', 'x_1'),
      },
      components: {
        parameters: { Id: pathParameter('order-id') },
        schemas: { B: { type: 'string', pattern: '^a{1,3}$', description: 'Like {env.HOME}.' } },
      },
    }),
  ).toEqual([]);
});

test('braces are rejected in every other place where Mesh interpolates', async () => {
  const withParameter = (parameter: object) => ({ paths: { '/a': { get: { ...get.get, parameters: [parameter] } } } });
  const place = 'paths./a.get.parameters.0';
  const text = { type: 'string' };
  expect(await faultsOfDescription({ paths: { '/a': get }, servers: [{ url: 'http://{host}' }] })).toEqual([
    'servers.0.url: it has the template http://{host}',
  ]);
  const variables = { host: { default: '{[env].HOME}' } };
  expect(await faultsOfDescription({ paths: { '/a': get }, servers: [{ url: 'http://a', variables }] })).toEqual([
    'servers.0.variables.host.default: it has the template {[env].HOME}',
  ]);
  expect(await faultsOfDescription(withParameter({ name: '{env.HOME}', in: 'cookie', schema: text }))).toEqual([
    `${place}.name: it has the template {env.HOME}`,
  ]);
  const byDefault = { name: 'x-a', in: 'header', schema: { ...text, default: 'a}{[env].HOME' } };
  expect(await faultsOfDescription(withParameter(byDefault))).toEqual([
    `${place}.schema.default: it has the template a}{[env].HOME`,
  ]);
});

test('links are rejected everywhere, because each is an additional call', async () => {
  const links = { again: { operationId: 'readA', parameters: { id: '$response.body#/a' } } };
  const linked = { description: 'a', content: get.get.responses[200].content, links };
  const withLinks = { get: { operationId: 'readA', responses: { 200: linked } } };
  expect(await faultsOfDescription({ paths: { '/a': withLinks } })).toEqual([
    'paths./a.get.responses.200.links: links are not supported',
  ]);
  const inComponents = { responses: { A: linked } };
  const referring = { get: { operationId: 'readA', responses: { 200: { $ref: '#/components/responses/A' } } } };
  expect(await faultsOfDescription({ paths: { '/a': referring }, components: inComponents })).toEqual([
    'components.responses.A.links: links are not supported',
  ]);
  expect(await faultsOfDescription({ paths: { '/a': get }, components: { links } })).toEqual([
    'components.links: links are not supported',
  ]);
  // Detected in the schema that Mesh builds.
  const elsewhere = { get: { operationId: 'readA', responses: { 200: { $ref: '#/x-answer' } } } };
  expect(await faultsOfDescription({ paths: { '/a': elsewhere }, 'x-answer': linked })).toEqual([
    expect.stringMatching(/^(\w+\.again|Query\.readA): links are not supported$/),
  ]);
  const property = { type: 'object', properties: { links: { type: 'string' }, responses: { type: 'string' } } };
  expect(await faultsOfDescription({ paths: { '/a': { get: answering(property) } } })).toEqual([]);
});

test('a YAML error has its position but no content of the file', async () => {
  const faults = await faultsOf('sources:\n  - name: shop\n    token: "abc-secret" secret\n   x: abc-secret\n');
  expect(faults).toEqual([expect.stringMatching(/^line \d+, column \d+: [A-Z_]+$/)]);
  expect((await faultsOf('sources: *abc-secret')).join()).toMatch(/^[^*-]*$/);
});

test('no requests are sent at the start, and the published schema remains the core’s', async () => {
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

test('the example is a valid configuration and reads only variables that do not belong to Sluice', async () => {
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

test('a missing or invalid YAML file prevents the start', async () => {
  await expect(openSources(world, { file: '/no/such/gateway.yaml', variables: new Map() })).rejects.toThrow(
    /^GATEWAY_SOURCES: ENOENT/,
  );
  expect((await faultsOf('sources: [')).join()).not.toBe('');
  expect(await faultsOf('a: 1')).toEqual([
    'sources: Invalid input: expected array, received undefined',
    'the file: Unrecognized key: "a"',
  ]);
});
