import type { GraphQLSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { TransportContext } from './graphql/server/request-plugin.ts';

/** The running graph, as composed by the gateway. HTTP, SSE, WebSocket and REST execute all operations on it. */
export type Graph = {
  schema: GraphQLSchema;
  /**
   * The plugins of the gateway. They run after those of the API, because they copy errors without their causes, so errors must be formatted
   * first. They run before the plugin that replaces the execution engine.
   */
  plugins: Plugin<TransportContext>[];
  close(): Promise<void>;
};
