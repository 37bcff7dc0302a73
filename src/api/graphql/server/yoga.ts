/** The GraphQL server: one schema, one pipeline for HTTP, SSE, websocket and the REST projection. */
import { GraphQLError, type GraphQLSchema, parse, type Source } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { BODY_LIMIT_BYTES, TOKEN_LIMIT } from './limits.ts';
import type { LiveCredentials } from './live-credentials.ts';
import { type PersistedDocuments, persistedDocumentsPlugin } from './persisted-documents.ts';
import { IdLiteralsRule } from './request-faults.ts';
import { requestPlugin, type TransportContext } from './request-plugin.ts';
import type { World } from './world.ts';

export type GatewayYoga = ReturnType<typeof openYoga>;

/** GraphiQL is served outside production. */
export function openYoga(
  world: World,
  parts: {
    schema: GraphQLSchema;
    credentials: LiveCredentials;
    documents: PersistedDocuments;
    plugins?: Plugin<TransportContext>[];
  },
) {
  return createYoga<TransportContext>({
    schema: parts.schema,
    graphqlEndpoint: '/graphql',
    graphiql: world.config.isProduction
      ? false
      : { title: 'Sluice', defaultQuery: '{\n  viewer {\n    kind\n  }\n}\n' },
    landingPage: false,
    logging: false,
    maskedErrors: false,
    multipart: false,
    batching: false,
    cors: { origin: '*', credentials: false, maxAge: 86_400 },
    maxRequestBodySize: BODY_LIMIT_BYTES,
    extraParamNames: ['documentId'],
    plugins: [
      persistedDocumentsPlugin(parts.documents, world.config.graphql.persistedOnly),
      requestPlugin(world, parts.credentials),
      boundedParser(),
      ...(parts.plugins ?? []),
    ],
  });
}

function boundedParser(): Plugin<TransportContext> {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(IdLiteralsRule);
    },
    onParse({ setParseFn }) {
      setParseFn((source, options) => parse(plainText(source), { ...options, maxTokens: TOKEN_LIMIT }));
    },
  };
}

/** A document whose strings hold what no table can keep is refused like one that does not parse. */
function plainText(source: string | Source): string | Source {
  const body = typeof source === 'string' ? source : source.body;
  if (!/\\u0000|\\u\{0+\}|\0/.test(body) && body.isWellFormed()) return source;
  throw new GraphQLError('The document has characters that are no text.');
}
