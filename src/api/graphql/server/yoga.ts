/** The GraphQL server: one graph, one pipeline for HTTP, SSE, websocket and the REST projection. */
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Graph } from '../../graph.ts';
import { bodyPlugin } from '../requests/body-plugin.ts';
import { documentsPlugin } from '../requests/documents-plugin.ts';
import { mediaTypesPlugin } from '../requests/media-types-plugin.ts';
import type { Documents } from '../requests/open-documents.ts';
import type { LiveCredentials } from './live-credentials.ts';
import { requestPlugin, type TransportContext } from './request-plugin.ts';
import type { World } from './world.ts';

/** How long a browser may remember the answer to a preflight. */
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
    // Yoga's own loads its files from another host; the page at /graphql is ours.
    graphiql: false,
    landingPage: false,
    logging: false,
    maskedErrors: false,
    multipart: false,
    batching: false,
    cors: { origin: '*', credentials: false, maxAge: CORS_MAX_AGE_SECONDS },
    // Each caller has a limit of its own: see bodyPlugin.
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
