/** The settings of this installation that are embedded in the pages: its chains, tokens and contracts. They contain nothing secret. */
import { type Chain, takesPayment } from '../../chains/chain.ts';
import type { Registry } from '../../chains/registry.ts';
import type { Config } from '../../config/config.ts';
import { eventTypes } from '../../events/event-type.ts';

export type PageSettings = ReturnType<typeof pageSettings>;

export function pageSettings(world: { config: Config; registry: Registry }) {
  const { config, registry } = world;
  const nodeOf = (chain: Chain) => config.rpc.find((rpc) => rpc.chainId === chain.chainId)?.publicUrl ?? null;
  return {
    publicUrl: config.publicUrl,
    walletConnectProjectId: config.walletConnectProjectId ?? null,
    quoteSeconds: config.quoteSeconds,
    publishesLiabilities: config.liabilities.isPublic,
    eventTypes,
    chains: registry
      .enabled()
      .map((chain) => ({ ...chain, isTest: takesPayment(chain, 'TEST'), nodeUrl: nodeOf(chain) })),
  };
}
