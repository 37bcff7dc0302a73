import type { Log } from '../platform/log.ts';
import type { FactReading, FactSource } from './fact-source.ts';

export type FallbackSource = FactSource & {
  /** Time since the first source last made progress on the chain. 0 while it is up to date. */
  stalledMs(chainId: number): number;
};

/** `isCurrent`: the last reading reached the node's head, so the time since then does not count. */
type Progress = { number: bigint | null; movedAt: number; isCurrent: boolean; fallen: boolean };

/**
 * Reads from `first` while it is up to date or makes progress, and from `second` once `first` has been stalled behind the chain, or
 * has failed, for longer than `patienceMs`. After a crash, Ponder needs half a minute to lock its schema again; a websocket may
 * stop delivering without being closed; and payers do not wait. Only reads up to the node's head count for this decision, because
 * even a stalled source has read other blocks. A source at the height of the head on another fork counts as stalled until it moves.
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
      if (!state.fallen) world.log.warn({ chainId }, 'Ponder makes no progress. The node is read directly.');
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
