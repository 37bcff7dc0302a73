/** The dependencies of the card API's verbs. */
import type { Database } from '../../prisma/client.ts';
import type { TokenWorld } from '../auth/tokens/issue-token.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { RpcSettings } from '../config/config.ts';

export type CardWorld = TokenWorld & {
  database: Database;
  nodes: EvmNodes;
  registry: Registry;
  config: { publicUrl: string; rpc: readonly RpcSettings[] };
};

/** A caller with an access token, or with a session's token, who then sees only what belongs to the session's origin. */
export type CardCaller = { userId: string; sessionId: string | null };
