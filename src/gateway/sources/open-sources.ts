/** Opens the sources of GATEWAY_SOURCES and the fields that they add to the core's schema. */
import { dirname, resolve } from 'node:path';
import type { GraphQLSchema } from 'graphql';
import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { GatewayFields, GatewaySource } from '../gateway-source.ts';
import { parseGatewayFile, type SourceSettings } from './gateway-file.ts';
import { type Join, parseJoins } from './joins.ts';
import { type LoadedSource, loadSource } from './load-source.ts';
import { publishedTypes } from './published-types.ts';
import { readYaml } from './read-yaml.ts';
import { joinField } from './resolve-join.ts';
import { openSourceFetch, type SourceFetch } from './source-fetch.ts';
import { openSourceGate, type SourceObserver } from './source-gate.ts';

type World = {
  /** The schema to which the sources' fields are joined. Composed only if there are sources. */
  graph: () => GraphQLSchema;
  clock: Clock;
  log: Log;
  observer: SourceObserver;
};

/**
 * Reads the file and the descriptions that it names. Sends nothing. Throws one ConfigError that names every fault. Without settings, there
 * are no sources and Mesh's handlers are not loaded.
 */
export async function openSources(world: World, settings: Config['gatewaySources']): Promise<GatewaySource[]> {
  if (!settings) return [];
  const graph = world.graph();
  const file = parseGatewayFile(settings, contentsOf(settings.file));
  const faults = [...file.faults];
  const folder = dirname(resolve(settings.file));
  const fetches: SourceFetch[] = [];
  const sources = new Map<string, LoadedSource | null>([...file.named].map((name) => [name, null]));
  for (const source of file.sources) {
    const opened = openSourceFetch(source);
    fetches.push(opened);
    const gate = openSourceGate(world, source);
    sources.set(source.name, await loaded({ folder, fetch: opened.fetch, gate }, { source, faults }));
  }
  const parsed = parseJoins({ core: graph, sources }, file.additionalTypeDefs);
  const { typeDefs, faults: collisions } = publishedTypes(graph, parsed.joins);
  faults.push(...parsed.faults, ...collisions);
  if (faults.length > 0) throw new ConfigError(faults.map((fault) => `GATEWAY_SOURCES: ${fault}`).join('\n'));
  if (!typeDefs) return [];
  return [
    {
      name: 'configured-sources',
      joins: { typeDefs, fields: fieldsOf(parsed.joins) },
      close: () => {
        for (const { close } of fetches) close();
      },
    },
  ];
}

function contentsOf(path: string): unknown {
  try {
    return readYaml(path);
  } catch (cause) {
    throw new ConfigError(`GATEWAY_SOURCES: ${cause instanceof Error ? cause.message : 'not readable'}`, { cause });
  }
}

async function loaded(
  world: Parameters<typeof loadSource>[0],
  { source, faults }: { source: SourceSettings; faults: string[] },
): Promise<LoadedSource | null> {
  try {
    return await loadSource(world, source);
  } catch (error) {
    const [words = 'not readable'] = (error instanceof Error ? error.message : 'not readable').split('\n');
    faults.push(`source ${source.name}: its description ${source.description} cannot be used: ${words}`);
    return null;
  }
}

function fieldsOf(joins: readonly Join[]): GatewayFields {
  const fields: GatewayFields = {};
  for (const join of joins) fields[join.typeName] = { ...fields[join.typeName], [join.fieldName]: joinField(join) };
  return fields;
}
