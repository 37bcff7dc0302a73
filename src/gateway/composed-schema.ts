import type { GraphQLSchema } from 'graphql';
import { schema as core } from '../api/graphql/schema.ts';
import { silentLog } from '../platform/log.ts';
import { openChainRecord } from './chain-record/open-chain-record.ts';
import { composeGraph } from './compose-graph.ts';

/** The schema that every installation has, for printing and inspection: core and chain record, without any connection. */
export function composedSchema(): GraphQLSchema {
  const config = {
    database: { directUrl: '' },
    ponder: { port: 0, schema: 'ponder' },
    chainRecord: { staleSeconds: 60 },
  };
  return composeGraph(core, [openChainRecord({ log: silentLog }, config)]);
}
