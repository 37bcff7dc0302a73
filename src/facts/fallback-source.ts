import type { Log } from '../platform/log.ts';
import type { FactReading, FactSource } from './fact-source.ts';

export type FallbackSource = FactSource & {
  /** For how long the first source has made no progress on the chain; 0 while it is up to date. */
  stalledMs(chainId: number): number;
};

/** `isCurrent`: the last reading was on the node's head, so that time has not counted since. */
type Progress = { number: bigint | null; movedAt: number; isCurrent: boolean; fallen: boolean };

/**
 * Reads from `first` while it is up to date or moves, and from `second` while it has stood still behind the chain, or
 * failed, for longer than `patienceMs`: after a crash Ponder needs half a minute to take its schema again, a websocket may
 * fall silent without being closed, and payers do not wait. Only reads that name the node's head are judged by: any other
 * block is one that even a source which stands still has read. One that is as high as the head on another fork stands
 * still too, until it moves.
 */
export function withFallback(
  world: { first: FactSource; second: FactSource; log: Log },
  { patienceMs }: { patienceMs: (chainId: number) => number },
): FallbackSource {
  const progress = new Map<number, Progress>();
  const stateOf = (chainId: number): Progress => {
    const state = progress.get(chainId) ?? moved(null);
    progress.set(chainId, state);
    return state;
  };
  const follow = (state: Progress, { through }: FactReading, head: { number: bigint; hash: string }): void => {
    const number = through?.number ?? null;
    const isOnHead = number === head.number && (through?.hash ?? head.hash) === head.hash;
    const isAbove = number !== null && number > head.number;
    if (number !== state.number || isOnHead || isAbove) Object.assign(state, moved(number));
    state.isCurrent = isOnHead;
  };
  return {
    async read(request) {
      const { chainId, to, headHash } = request;
      const state = stateOf(chainId);
      if (headHash !== undefined && state.isCurrent)
        Object.assign(state, { movedAt: performance.now(), isCurrent: false });
      const isPatient = () => performance.now() - state.movedAt < patienceMs(chainId);
      try {
        const reading = await world.first.read(request);
        if (headHash !== undefined) follow(state, reading, { number: to, hash: headHash });
        if (isPatient()) return reading;
      } catch (error) {
        if (isPatient()) throw error;
        world.log.debug({ chainId, error }, 'Ponder cannot be read.');
      }
      if (!state.fallen) world.log.warn({ chainId }, 'Ponder stands still: the node itself is read.');
      state.fallen = true;
      return await world.second.read(request);
    },
    stalledMs(chainId) {
      const state = progress.get(chainId);
      return state && !state.isCurrent ? performance.now() - state.movedAt : 0;
    },
    async close() {
      await world.first.close();
      await world.second.close();
    },
  };
}

function moved(number: bigint | null): Progress {
  return { number, movedAt: performance.now(), isCurrent: false, fallen: false };
}
