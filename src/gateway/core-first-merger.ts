import type { getMesh } from '@graphql-mesh/runtime';
import { composeGraph } from './compose-graph.ts';
import type { GatewaySource } from './gateway-source.ts';

type Merger = Parameters<typeof getMesh>[0]['merger'];

/** Takes the first source's schema as it is, with its own resolvers, and adds what the others bring: the core is never delegated to. */
export function coreFirstMerger(sources: readonly Pick<GatewaySource, 'name' | 'joins'>[]): Merger {
  return {
    name: 'core-first',
    getUnifiedSchema({ rawSources: [core, ...others] }) {
      if (!core) throw new TypeError('The gateway has no core.');
      const schemas = new Map(others.map(({ name, schema }) => [name, schema]));
      return {
        schema: composeGraph(
          core.schema,
          sources.map((source) => ({ ...source, schema: schemas.get(source.name) })),
        ),
      };
    },
  };
}
