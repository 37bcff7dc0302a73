/** Another API process of an installation, with its own connections, feed and keys on the same database. */
import { openDatabase } from '../../../prisma/client.ts';
import type { World } from '../../../src/api/graphql/server/world.ts';
import { type ApiParts, startApi } from '../../../src/api/start-api.ts';
import { openCredentialMemory } from '../../../src/auth/credential-memory.ts';
import { openSigningKeys } from '../../../src/auth/tokens/signing-keys.ts';
import { openFeed } from '../../../src/events/feed.ts';
import { openListener } from '../../../src/platform/database/listener.ts';
import { onTeardown } from '../teardown.ts';
import { type CallOptions, callGraphql, rememberedBy, type TestApi } from './api.ts';
import { openTestGraph } from './graph.ts';

/** Closed automatically when the test file ends. `others` replaces what it would share with the first process. */
export async function openSecondApi(
  api: TestApi,
  options: {
    parts?: (world: World) => ApiParts;
    others?: Partial<World>;
    listenUrl?: string;
    rememberBy?: () => number;
  } = {},
) {
  const { clock, log, secretKeys } = api.world;
  const database = openDatabase({ url: api.databaseUrl });
  onTeardown(() => database.$disconnect());
  const listener = openListener({ url: options.listenUrl ?? api.databaseUrl, log });
  onTeardown(() => listener.close());
  const feed = openFeed({ database, listener, log });
  onTeardown(() => feed.close());
  const memory = openCredentialMemory({
    database: options.others?.database ?? database,
    listener,
    ...rememberedBy(options),
  });
  const signingKeys = openSigningKeys({ database, clock }, { sealKey: secretKeys.signing });
  const world: World = { ...api.world, database, feed, signingKeys, memory, ...options.others };
  const graph = await openTestGraph({ config: world.config, log });
  const running = await startApi({ world, graph }, { host: '127.0.0.1', port: 0 }, options.parts?.(world));
  onTeardown(() => running.close());
  return {
    url: running.url,
    database,
    world,
    running,
    graphql: (document: string, variables?: Record<string, unknown>, call?: CallOptions) =>
      callGraphql(running.url, document, variables, call),
  };
}
