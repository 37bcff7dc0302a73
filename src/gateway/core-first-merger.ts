import type { getMesh } from '@graphql-mesh/runtime';
import { composeGraph } from './compose-graph.ts';
import type { GatewaySource } from './gateway-source.ts';

type Merger = Parameters<typeof getMesh>[0]['merger'];

/**
 * Uses the first source's schema unchanged, with its own resolvers, and adds the other sources to it. Nothing is ever delegated to the
 * core.
 */
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
