/** The GraphQL server: one schema, one pipeline for HTTP, SSE, websocket and the REST projection. */
import { type GraphQLSchema, parse } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { LiveCredentials } from './live-credentials.ts';
import { BODY_LIMIT_BYTES, TOKEN_LIMIT } from './limits.ts';
import { requestPlugin, type TransportContext } from './request-plugin.ts';
import type { World } from './world.ts';

export type GatewayYoga = ReturnType<typeof openYoga>;

/** GraphiQL is served outside production. */
export function openYoga(
  world: World,
  parts: { schema: GraphQLSchema; credentials: LiveCredentials; plugins?: Plugin<TransportContext>[] },
) {
  return createYoga<TransportContext>({
    schema: parts.schema,
    graphqlEndpoint: '/graphql',
    graphiql: world.config.isProduction ? false : { title: 'Sluice', defaultQuery: '{\n  viewer {\n    kind\n  }\n}\n' },
    landingPage: false,
    logging: false,
    maskedErrors: false,
    multipart: false,
    batching: false,
    cors: { origin: '*', credentials: false, maxAge: 86_400 },
    maxRequestBodySize: BODY_LIMIT_BYTES,
    plugins: [requestPlugin(world, parts.credentials), boundedParser(), ...(parts.plugins ?? [])],
  });
}

function boundedParser(): Plugin<TransportContext> {
  return {
    onParse({ setParseFn }) {
      setParseFn((source, options) => parse(source, { ...options, maxTokens: TOKEN_LIMIT }));
    },
  };
}
