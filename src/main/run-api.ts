import { schema } from '../api/graphql/schema.ts';
import { openParts } from '../api/open-parts.ts';
import { startApi } from '../api/start-api.ts';
import { openCredentialMemory } from '../auth/credential-memory.ts';
import { openSecretKeys } from '../auth/tokens/secret-keys.ts';
import { openSigningKeys } from '../auth/tokens/signing-keys.ts';
import type { Config } from '../config/config.ts';
import { openFeed } from '../events/feed.ts';
import { openChainRecord } from '../gateway/chain-record/open-chain-record.ts';
import { composeGraph } from '../gateway/compose-graph.ts';
import { openGateway } from '../gateway/open-gateway.ts';
import { openSources } from '../gateway/sources/open-sources.ts';
import { openPriceBook } from '../prices/open-price-book.ts';
import { openBase, openService, openSigners, type RunningPart } from './open-world.ts';

/**
 * Runs GraphQL and REST on HOST and PORT. Any number of instances can run. `openGraph` composes the schema that requests execute against.
 */
export async function runApi(config: Config, { openGraph = openGateway } = {}): Promise<RunningPart> {
  const base = openBase(config, 'api');
  const { operator, senders } = await openSigners(base);
  const senderAddresses = senders.map(({ address }) => address);
  await base.time.follow();
  const prices = openPriceBook({ ...base, clock: base.realClock }, config.prices);
  const feed = openFeed(base);
  const secretKeys = openSecretKeys(config);
  const signingKeys = openSigningKeys({ ...base, clock: base.realClock }, { sealKey: secretKeys.signing });
  const memory = openCredentialMemory(base);
  const { unavailable } = base.instruments;
  const world = { ...base, operator, senderAddresses, prices, feed, secretKeys, signingKeys, memory, unavailable };
  const service = await openService(base);
  const parts = { ...openParts(world), service: service.endpoints, observe: base.instruments.http };
  const record = openChainRecord(base, config);
  const configured = await openSources(
    {
      graph: () => composeGraph(schema, [record]),
      clock: base.realClock,
      log: base.log,
      observer: base.instruments.sources,
    },
    config.gatewaySources,
  );
  const sources = [record, ...configured];
  const graph = await openGraph({ core: schema, sources, log: base.log, count: base.instruments.operation });
  const api = await startApi({ world, graph }, { host: config.host, port: config.port }, parts);
  base.log.info({ url: api.url }, 'The API is listening.');
  return {
    async stop() {
      await api.close();
      await service.close();
      await feed.close();
      memory.close();
      await base.time.close();
      await base.listener.close();
      await base.database.$disconnect();
    },
  };
}
