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
      const parts = others.flatMap(({ name, schema }) => {
        const source = sources.find((candidate) => candidate.name === name);
        return source ? [{ ...source, schema }] : [];
      });
      return { schema: composeGraph(core.schema, parts) };
    },
  };
}
