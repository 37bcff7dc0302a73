import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError } from '../../errors.ts';
import type { AdvisoryLocks } from '../../platform/advisory-locks.ts';
import type { RunningProjector } from '../run-projector.ts';
import { newSolanaMemory, observeSolana } from './observe-solana.ts';
import type { SolanaWorld } from './solana-world.ts';

const LONGEST_PAUSE_MS = 30_000;
const SWEEP_EVERY_MS = 60_000;
/** A lock is given up and asked for again, so that one lost with its connection is noticed. */
const LOCK_TERM_MS = 30_000;
const LOCK_PAUSE_MS = 1_000;

/** Watches every Solana chain in a loop of its own until stopped; another process's watcher of a chain is waited for. */
export function runSolanaWatcher(
  world: SolanaWorld & { locks: AdvisoryLocks },
  options: { chains: readonly { chainId: number; intervalMs: number }[] },
): RunningProjector {
  const stopping = new AbortController();
  const pause = (ms: number) => delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  const loops = options.chains.map(async (chain) => {
    const turn = openTurn(world, chain);
    while (!stopping.signal.aborted) {
      const until = performance.now() + LOCK_TERM_MS;
      const held = await world.locks
        .tryWith(`projector:${chain.chainId}`, async () => {
          while (!stopping.signal.aborted && performance.now() < until) await pause(await turn());
        })
        .catch((error: unknown) => {
          world.log.warn({ chainId: chain.chainId, error }, 'The watcher has no lock for its chain.');
          return false;
        });
      if (!held) await pause(LOCK_PAUSE_MS);
    }
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

/** One turn; answers how long to wait for the next one. Errors end a turn and never the loop. */
function openTurn(world: SolanaWorld, { chainId, intervalMs }: { chainId: number; intervalMs: number }) {
  const memory = newSolanaMemory();
  let failures = 0;
  let sweptAt = performance.now();
  return async (): Promise<number> => {
    try {
      const observation = await observeSolana({ ...world, memory }, { chainId });
      world.observer?.observed?.(observation);
      if (failures > 0) world.log.info({ chainId }, 'The chain can be observed again.');
      failures = 0;
      if (!observation.halted && performance.now() - sweptAt > SWEEP_EVERY_MS) {
        sweptAt = performance.now();
        await world.solanaNodes.asking(chainId, (connection) => world.reader.sweep({ chainId, connection }));
      }
      return observation.behind ? 0 : intervalMs;
    } catch (error) {
      failures += 1;
      world.observer?.failed?.({ chainId, error });
      const expected = error instanceof GatewayError && error.code === 'CHAIN_UNAVAILABLE';
      const fields = { chainId, error, failures };
      if (expected && failures > 1) world.log.debug(fields, 'The chain is still out of reach.');
      else world.log.warn(fields, 'A turn of the watcher failed; the next one goes on where it stopped.');
      return Math.min(intervalMs * 2 ** Math.min(failures, 10), LONGEST_PAUSE_MS);
    }
  };
}
