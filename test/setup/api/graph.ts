/** The graph as an API process runs it. */
import type { Graph } from '../../../src/api/graph.ts';
import { schema } from '../../../src/api/graphql/schema.ts';
import type { Config } from '../../../src/config/config.ts';
import { openChainRecord } from '../../../src/gateway/chain-record/open-chain-record.ts';
import { type GatewayOptions, openGateway } from '../../../src/gateway/open-gateway.ts';
import { silentLog } from '../../../src/platform/log.ts';

/** With a configuration, the graph includes the indexer's records. Without one, it consists of the core only. */
export function openTestGraph({
  config,
  ...options
}: Partial<GatewayOptions> & { config?: Config } = {}): Promise<Graph> {
  const log = options.log ?? silentLog;
  const record = config ? [openChainRecord({ log }, config)] : [];
  return openGateway({ core: schema, ...options, log, sources: [...record, ...(options.sources ?? [])] });
}
