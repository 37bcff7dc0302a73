/** A worker and a projector on the database and chain of a gateway. They crash at step `crashesAt`. */
import { openLogSource } from '../../../src/facts/log-source.ts';
import { newProjectorMemory, observeChain } from '../../../src/facts/observe-chain.ts';
import { factTable } from '../../../src/main/fact-table.ts';
import { openPumps } from '../../../src/main/open-sending.ts';
import { watchBalances } from '../../../src/main/watch-balances.ts';
import { newExactMemory } from '../../../src/payments/x402/exact/watch-exact.ts';
import { type Crash, crashing, crashingNodes } from './crashing.ts';
import type { Gateway } from './gateway.ts';

/** `world` is the argument for verbs and jobs. `pump` and `observe` are one turn of the operator's pump and of the projector. */
export function crashingGateway(gateway: Gateway, crash: Crash) {
  const { chainId } = gateway.evm;
  const database = crashing(gateway.database, crash);
  const nodes = crashingNodes(gateway.nodes, crash);
  const operator = crashing(gateway.action.operator, crash);
  const world = { ...gateway.action, database, nodes, operator };
  const source = openLogSource({ nodes, registry: gateway.registry });
  const pumps = openPumps({ ...world, locks: gateway.locks, limits: gateway.limits });
  return {
    world,
    pump: () => pumps({ chainId, sender: operator.address.toLowerCase() }),
    observe: () =>
      observeChain(
        {
          ...gateway.projector,
          database,
          nodes,
          source,
          handlers: factTable(world),
          memory: newProjectorMemory(),
          watch: (view) => watchBalances({ ...world, memory: newExactMemory() }, view),
        },
        { chainId },
      ),
  };
}
