/**
 * The gateway, in which GraphQL Mesh composes the running schema. Its first source is the core's schema, which stays unchanged and runs in
 * this process. Further sources add their own types and fields. All requests, over GraphQL, REST or `/v1`, execute against the composed
 * schema.
 */
import { getMesh } from '@graphql-mesh/runtime';
import type { GraphQLSchema, OperationTypeNode } from 'graphql';
import type { Graph } from '../api/graph.ts';
import type { Log } from '../platform/log.ts';
import { coreFirstMerger } from './core-first-merger.ts';
import { countOperations } from './count-operations.ts';
import type { GatewaySource } from './gateway-source.ts';

type MeshOptions = Parameters<typeof getMesh>[0];
type MeshLogger = NonNullable<MeshOptions['logger']>;

export type GatewayOptions = {
  core: GraphQLSchema;
  /** Sources in addition to the core. They are closed with the gateway. */
  sources?: readonly GatewaySource[];
  log: Log;
  /** Called for every operation. */
  count?: ((kind: `${OperationTypeNode}`) => void) | undefined;
};

export async function openGateway(options: GatewayOptions): Promise<Graph> {
  const { core, sources = [], log, count = () => undefined } = options;
  const mesh = await getMesh({
    sources: [
      localSource('core', core),
      ...sources.flatMap(({ name, schema }) => (schema ? [localSource(name, schema)] : [])),
    ],
    merger: coreFirstMerger(sources),
    additionalEnvelopPlugins: [countOperations(count)],
    logger: meshLogger(log),
    cache: nothingKept,
    fetchFn: fetch,
  });
  // The plugins are typed for the context of another version, but do not use it.
  const plugins = mesh.plugins as Graph['plugins'];
  return {
    schema: mesh.schema,
    plugins,
    async close() {
      mesh.destroy();
      await Promise.all(sources.map((source) => source.close()));
    },
  };
}

/** A source whose schema runs in this process, without wrapping or network requests. */
function localSource(name: string, schema: GraphQLSchema): MeshOptions['sources'][number] {
  return { name, handler: { getMeshSource: async () => ({ schema }) } };
}

/** Disables Mesh's cache for all sources. */
const nothingKept: MeshOptions['cache'] = {
  get: () => undefined,
  set: () => undefined,
  delete: () => false,
  getKeysByPrefix: async () => [],
};

/** Writes Mesh's messages to the log. */
function meshLogger(log: Log): MeshLogger {
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (...words: unknown[]) => {
      log[level]({}, words.map((word) => String(typeof word === 'function' ? word() : word)).join(' '));
    };
  return {
    log: write('info'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (name) => meshLogger(log.child(typeof name === 'string' ? { source: name } : name)),
  };
}
