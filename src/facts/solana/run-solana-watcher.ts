import { GatewayError } from '../../errors.ts';
import type { AdvisoryLocks } from '../../platform/advisory-locks.ts';
import { openLoopWatch, openPause } from '../loop-watch.ts';
import type { RunningProjector } from '../run-projector.ts';
import { newSolanaMemory, observeSolana } from './observe-solana.ts';
import { openVaultBell } from './open-vault-bell.ts';
import type { SolanaWorld } from './solana-world.ts';

const LONGEST_PAUSE_MS = 30_000;
const SWEEP_EVERY_MS = 60_000;
/** A lock is given up and asked for again, so that one lost with its connection is noticed. */
const LOCK_TERM_MS = 30_000;
const LOCK_PAUSE_MS = 1_000;
/** New quotes are listened for after this time. */
const LISTEN_EVERY_MS = 1_000;

type WatchedChain = { chainId: number; intervalMs: number; wsUrl?: string | undefined };

/**
 * Watches every Solana chain in a loop of its own until stopped; another process's watcher of a chain is waited for. With
 * a `wsUrl` the node's word that something happened brings the next turn forward.
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
    const turn = openTurn(world, chain, () => watch.turned(chainId));
    const { pause, ring } = openPause(stopping.signal);
    const stopListening = listenForVaults(world, { chain, ring });
    while (!stopping.signal.aborted) {
      const until = performance.now() + LOCK_TERM_MS;
      const held = await world.locks
        .tryWith(`projector:${chainId}`, async () => {
          watch.standsBy(chainId, false);
          while (!stopping.signal.aborted && performance.now() < until) {
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
    stopListening();
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

/** Keeps the bell at the vaults and references that are watched now; the returned function ends it. */
function listenForVaults(
  world: Pick<SolanaWorld, 'reader' | 'clock' | 'log'>,
  { chain, ring }: { chain: WatchedChain; ring: () => void },
): () => void {
  const { chainId, wsUrl } = chain;
  if (wsUrl === undefined) return () => undefined;
  const bell = openVaultBell(world, { chainId, wsUrl, ring });
  let isReading = false;
  const timer = setInterval(() => {
    if (isReading) return;
    isReading = true;
    world.reader
      .watched({ chainId, now: world.clock.now() })
      .then((watches) => bell.watch(watches.flatMap(({ vault, reference }) => [reference, vault])))
      .catch((error: unknown) => world.log.debug({ chainId, error }, 'What to listen for could not be read.'))
      .finally(() => {
        isReading = false;
      });
  }, LISTEN_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    bell.close();
  };
}

/** One turn; answers how long to wait for the next one. Errors end a turn and never the loop. */
function openTurn(world: SolanaWorld, { chainId, intervalMs }: WatchedChain, onProgress: () => void) {
  const memory = newSolanaMemory(onProgress);
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
