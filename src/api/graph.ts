import type { GraphQLSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { TransportContext } from './graphql/server/request-plugin.ts';

/** The running graph, as the gateway composes it: HTTP, SSE, websocket and REST execute on it and on nothing else. */
export type Graph = {
  schema: GraphQLSchema;
  /**
   * The gateway's part of the pipeline. It stands behind ours, for it copies errors and loses their causes: what leaves must be
   * formatted before it. It stands before what replaces its engine.
   */
  plugins: Plugin<TransportContext>[];
  close(): Promise<void>;
};
