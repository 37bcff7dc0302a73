/** The GraphQL server: one graph and one pipeline for HTTP, SSE, WebSocket and REST. */
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Graph } from '../../graph.ts';
import { bodyPlugin } from '../requests/body-plugin.ts';
import { documentsPlugin } from '../requests/documents-plugin.ts';
import { mediaTypesPlugin } from '../requests/media-types-plugin.ts';
import type { Documents } from '../requests/open-documents.ts';
import type { LiveCredentials } from './live-credentials.ts';
import { requestPlugin, type TransportContext } from './request-plugin.ts';
import type { World } from './world.ts';

/** How long a browser may cache the response to a preflight request. */
export const CORS_MAX_AGE_SECONDS = 86_400;

export type GatewayYoga = ReturnType<typeof openYoga>;

export function openYoga(
  world: World,
  parts: {
    graph: Graph;
    credentials: LiveCredentials;
    documents: Documents;
    plugins?: Plugin<TransportContext>[];
  },
) {
  return createYoga<TransportContext>({
    schema: parts.graph.schema,
    graphqlEndpoint: '/graphql',
    // Yoga's own page loads files from another host, so the API serves a page of its own at /graphql.
    graphiql: false,
    landingPage: false,
    logging: false,
    maskedErrors: false,
    multipart: false,
    batching: false,
    cors: { origin: '*', credentials: false, maxAge: CORS_MAX_AGE_SECONDS },
    // Each caller has its own limit (bodyPlugin).
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    extraParamNames: ['documentId'],
    plugins: [
      bodyPlugin(world.config),
      requestPlugin(world, parts.credentials),
      mediaTypesPlugin(),
      ...parts.graph.plugins,
      documentsPlugin(parts.documents),
      ...(parts.plugins ?? []),
    ],
  });
}
