/** The complete OpenAPI 3.1 document of a set of routes. */
import type { GraphQLSchema } from 'graphql';
import type { RestRoute } from '../rest-route.ts';
import { describeOperation } from './describe-operation.ts';
import { errorResponses, errorSchemas, headers, problemWords } from './error-responses.ts';
import type { Components, JsonSchema } from './json-schema.ts';
import { tagOf } from './tag.ts';

export type ApiInfo = { title: string; version: string; description: string };

export type OpenApiDocument = JsonSchema & { openapi: string; paths: Record<string, Record<string, JsonSchema>> };

/** `webhooks` describes the webhooks of the API, if it has any, and adds their schemas to the components. */
export function describeApi(
  schema: GraphQLSchema,
  routes: readonly RestRoute[],
  info: ApiInfo,
  webhooks?: (components: Components) => Record<string, JsonSchema>,
): OpenApiDocument {
  const components: Components = new Map();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = describeOperation(schema, components, route);
  }
  const sent = webhooks?.(components);
  const asked = JSON.stringify(paths);
  const used = (kind: string, held: Record<string, JsonSchema>) =>
    Object.fromEntries(Object.entries(held).filter(([name]) => asked.includes(`"#/components/${kind}/${name}"`)));
  const responses = used('responses', errorResponses());
  const made = { ...Object.fromEntries(components), ...errorSchemas };
  const schemas = referredTo(made, [paths, sent, responses]).sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    openapi: '3.1.0',
    info: {
      ...info,
      description: `${info.description} ${problemWords}`,
      contact: { name: 'The operator of this installation' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map((route) => tagOf(route.path)))],
    paths,
    ...(sent ? { webhooks: sent } : {}),
    components: {
      schemas: Object.fromEntries(schemas),
      responses,
      headers,
      parameters: used('parameters', { IdempotencyKey: idempotencyKey }),
      securitySchemes: Object.fromEntries(
        Object.entries(securitySchemes).filter(([name]) => asked.includes(`{"${name}":[]}`)),
      ),
    },
  };
}

/**
 * Returns the schemas that a value references, directly or through other schemas. Others are omitted, because references may have been
 * replaced.
 */
function referredTo(schemas: Record<string, JsonSchema>, from: unknown): [string, JsonSchema][] {
  const found = new Map<string, JsonSchema>();
  const follow = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      const schema = schemas[name];
      if (!schema || found.has(name)) continue;
      found.set(name, schema);
      follow(schema);
    }
  };
  follow(from);
  return [...found];
}

const idempotencyKey: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A request with the same key and the same parameters returns the first response again, for at least 24 hours. `"k"` and `k` are ' +
    'the same key. If a call requires no credential, use a random key. A key that is neither a UUID nor at least 22 base64url ' +
    "characters is then scoped to the caller's IP address.",
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const securitySchemes: Record<string, JsonSchema> = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'A secret API key, `sk_test_…` or `sk_live_…`.',
  },
  publishableKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'A publishable API key, `pk_test_…` or `pk_live_…`.',
  },
  clientSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'x-client-secret',
    description: "A checkout session's client secret.",
  },
  arbiterKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'A credential of an arbiter.' },
  operatorKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'A credential of an operator of the installation.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token of a dashboard member or a wallet user.',
  },
};
