import { GatewayError } from '../../errors.ts';
import type { AdvisoryLocks } from '../../platform/advisory-locks.ts';
import { openLoopWatch, openPause } from '../loop-watch.ts';
import type { RunningProjector } from '../run-projector.ts';
import { newSolanaMemory, observeSolana } from './observe-solana.ts';
import { openVaultListener } from './open-vault-listener.ts';
import type { SolanaMemory, SolanaWorld } from './solana-world.ts';

const LONGEST_PAUSE_MS = 30_000;
const SWEEP_EVERY_MS = 60_000;
/** A lock is released and requested again after this time, so that a lock that was lost with its connection is noticed. */
const LOCK_TERM_MS = 30_000;
const LOCK_PAUSE_MS = 1_000;
/** How long a chain without vaults to watch is left unread. */
const IDLE_PAUSE_MS = 10_000;
/** New vaults are noticed after this time. */
const LOOK_EVERY_MS = 2_000;

type WatchedChain = { chainId: number; intervalMs: number; wsUrl?: string | undefined };

/**
 * Watches every Solana chain in a loop of its own until stopped. If another process watches a chain, this one waits. With a `wsUrl`,
 * the node's announcements start the next turn early. A chain without vaults to watch is read every ten seconds.
 */
export function runSolanaWatcher(
  world: SolanaWorld & { locks: AdvisoryLocks },
  options: { chains: readonly WatchedChain[] },
): RunningProjector {
  const stopping = new AbortController();
  const watch = openLoopWatch(
    'watcher',
    options.chains.map(({ chainId }) => chainId),
  );
  const loops = options.chains.map(async (chain) => {
    const { chainId } = chain;
    const memory = newSolanaMemory(() => watch.turned(chainId));
    const turn = openTurn(world, { chain, memory });
    const { pause, wake } = openPause(stopping.signal);
    const stopLooking = lookForVaults(world, { chain, memory, wake });
    while (!stopping.signal.aborted) {
      const until = performance.now() + LOCK_TERM_MS;
      const held = await world.locks
        .tryWith(`projector:${chainId}`, async (lost) => {
          watch.standsBy(chainId, false);
          while (!stopping.signal.aborted && !lost.aborted && performance.now() < until) {
            watch.turned(chainId);
            await pause(await turn());
          }
        })
        .catch((error: unknown) => {
          world.log.warn({ chainId, error }, 'The watcher has no lock for its chain.');
          return false;
        });
      watch.turned(chainId);
      if (held) continue;
      watch.standsBy(chainId, true);
      await pause(LOCK_PAUSE_MS);
    }
    stopLooking();
  });
  return {
    faults: watch.faults,
    notes: watch.notes,
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

/**
 * Looks for vaults to watch while the turns pause. The websocket listens for them. Without a websocket, the first vault of an idle
 * chain ends the pause. The returned function stops this.
 */
function lookForVaults(
  world: Pick<SolanaWorld, 'reader' | 'clock' | 'log'>,
  { chain, memory, wake }: { chain: WatchedChain; memory: SolanaMemory; wake: () => void },
): () => void {
  const { chainId, wsUrl } = chain;
  const listener = wsUrl === undefined ? undefined : openVaultListener(world, { chainId, wsUrl, wake });
  let isReading = false;
  const timer = setInterval(() => {
    if (isReading || (!listener && !memory.isIdle)) return;
    isReading = true;
    world.reader
      .listened({ chainId, now: world.clock.now() })
      .then((watches) => {
        listener?.watch(watches.flatMap(({ vault, reference }) => [reference, vault]));
        if (memory.isIdle && watches.length > 0) wake();
      })
      .catch((error: unknown) =>
        world.log.debug({ chainId, error }, 'The list of accounts to subscribe to could not be read.'),
      )
      .finally(() => {
        isReading = false;
      });
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    listener?.close();
  };
}

/** Returns a function that runs one turn and returns how long to wait for the next one. Errors end a turn, never the loop. */
function openTurn(world: SolanaWorld, { chain, memory }: { chain: WatchedChain; memory: SolanaMemory }) {
  const { chainId, intervalMs } = chain;
  let failures = 0;
  let sweptAt = performance.now();
  return async (): Promise<number> => {
    try {
      const observation = await observeSolana({ ...world, memory }, { chainId });
      world.observer?.observed?.(observation);
      if (failures > 0) world.log.info({ chainId }, 'The chain can be read again.');
      failures = 0;
      if (!observation.halted && performance.now() - sweptAt > SWEEP_EVERY_MS) {
        sweptAt = performance.now();
        await world.solanaNodes.asking(chainId, (connection) => world.reader.sweep({ chainId, connection }));
      }
      if (memory.isIdle) return Math.max(intervalMs, IDLE_PAUSE_MS);
      return observation.behind ? 0 : intervalMs;
    } catch (error) {
      failures += 1;
      world.observer?.failed?.({ chainId, error });
      const expected = error instanceof GatewayError && error.code === 'CHAIN_UNAVAILABLE';
      const fields = { chainId, error, failures };
      if (expected && failures > 1) world.log.debug(fields, 'The chain is still unreachable.');
      else world.log.warn(fields, 'A run of the watcher failed. The next run continues where it stopped.');
      return Math.min(intervalMs * 2 ** Math.min(failures, 10), LONGEST_PAUSE_MS);
    }
  };
}
