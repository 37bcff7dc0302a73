/**
 * The gateway: GraphQL Mesh composes the running graph. Its first source is the core's schema, which stays what it is and
 * runs in this process; further sources add their own types and fields. Everything that is answered, by GraphQL, REST or
 * `/v1`, is executed on the graph.
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
  /** Beside the core; closed with the gateway. */
  sources?: readonly GatewaySource[];
  log: Log;
  /** Told of every operation that passes. */
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
  // Typed for another version's context; they ask nothing of ours.
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

/** A source whose schema runs in this process: nothing is wrapped and nothing is sent. */
function localSource(name: string, schema: GraphQLSchema): MeshOptions['sources'][number] {
  return { name, handler: { getMeshSource: async () => ({ schema }) } };
}

/** No answer is cached, of whatever source. */
const nothingKept: MeshOptions['cache'] = {
  get: () => undefined,
  set: () => undefined,
  delete: () => false,
  getKeysByPrefix: async () => [],
};

/** Mesh's words in our log. */
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
