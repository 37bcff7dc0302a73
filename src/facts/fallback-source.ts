import type { Log } from '../platform/log.ts';
import type { FactReading, FactSource } from './fact-source.ts';

export type FallbackSource = FactSource & {
  /** For how long the first source has made no progress on the chain; 0 while it is up to date. */
  stalledMs(chainId: number): number;
};

type Progress = { number: bigint; movedAt: number; fallen: boolean };

/**
 * Reads from `first` while it is up to date or moves, and from `second` while it has stood still behind the chain for
 * longer than `patienceMs`: after a crash Ponder needs half a minute to take its schema again, and payers do not wait.
 */
export function withFallback(
  world: { first: FactSource; second: FactSource; log: Log },
  { patienceMs }: { patienceMs: (chainId: number) => number },
): FallbackSource {
  const progress = new Map<number, Progress>();
  const follow = (chainId: number, reading: FactReading, to: bigint): Progress => {
    const number = reading.through?.number ?? -1n;
    const last = progress.get(chainId);
    const moved = !last || number !== last.number || number >= to;
    const next = moved ? { number, movedAt: performance.now(), fallen: false } : last;
    progress.set(chainId, next);
    return next;
  };
  return {
    async read(request) {
      const reading = await world.first.read(request);
      const state = follow(request.chainId, reading, request.to);
      if (performance.now() - state.movedAt < patienceMs(request.chainId)) return reading;
      if (!state.fallen) world.log.warn({ chainId: request.chainId }, 'Ponder stands still: the node itself is read.');
      state.fallen = true;
      return await world.second.read(request);
    },
    stalledMs(chainId) {
      const state = progress.get(chainId);
      return state ? performance.now() - state.movedAt : 0;
    },
    async close() {
      await world.first.close();
      await world.second.close();
    },
  };
}
