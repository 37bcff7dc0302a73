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
import { openFloor, openService, openSigners, type RunningPart } from './open-world.ts';

/**
 * Runs GraphQL and REST on HOST and PORT. Any number of instances can run. `openGraph` composes the schema that requests execute against.
 */
export async function runApi(config: Config, { openGraph = openGateway } = {}): Promise<RunningPart> {
  const floor = openFloor(config, 'api');
  const { operator, senders } = await openSigners(floor);
  const senderAddresses = senders.map(({ address }) => address);
  await floor.time.follow();
  const prices = openPriceBook({ ...floor, clock: floor.realClock }, config.prices);
  const feed = openFeed(floor);
  const secretKeys = openSecretKeys(config);
  const signingKeys = openSigningKeys({ ...floor, clock: floor.realClock }, { sealKey: secretKeys.signing });
  const memory = openCredentialMemory(floor);
  const { unavailable } = floor.instruments;
  const world = { ...floor, operator, senderAddresses, prices, feed, secretKeys, signingKeys, memory, unavailable };
  const service = await openService(floor);
  const parts = { ...openParts(world), service: service.endpoints, observe: floor.instruments.http };
  const record = openChainRecord(floor, config);
  const configured = await openSources(
    {
      graph: () => composeGraph(schema, [record]),
      clock: floor.realClock,
      log: floor.log,
      observer: floor.instruments.sources,
    },
    config.gatewaySources,
  );
  const sources = [record, ...configured];
  const graph = await openGraph({ core: schema, sources, log: floor.log, count: floor.instruments.operation });
  const api = await startApi({ world, graph }, { host: config.host, port: config.port }, parts);
  floor.log.info({ url: api.url }, 'The API is listening.');
  return {
    async stop() {
      await api.close();
      await service.close();
      await feed.close();
      memory.close();
      await floor.time.close();
      await floor.listener.close();
      await floor.database.$disconnect();
    },
  };
}
