/** The graph as an API process runs it. */

import type { Graph } from '../../src/api/graph.ts';
import { schema } from '../../src/api/graphql/schema.ts';
import { type GatewayOptions, openGateway } from '../../src/gateway/open-gateway.ts';
import { silentLog } from '../../src/platform/log.ts';

export function openTestGraph(options: Partial<GatewayOptions> = {}): Promise<Graph> {
  return openGateway({ core: schema, log: silentLog, ...options });
}
