import type { getMesh } from '@graphql-mesh/runtime';

type Merger = Parameters<typeof getMesh>[0]['merger'];

/** Takes the first source's schema as it is, with its own resolvers: the core is never delegated to. */
export const coreFirstMerger: Merger = {
  name: 'core-first',
  getUnifiedSchema({ rawSources: [core] }) {
    if (!core) throw new TypeError('The gateway has no core.');
    return { schema: core.schema };
  },
};
