/** One node of a chain and its state: whether it serves this chain, and whether it is set aside. */
import { faultOf, NodeFault, nodeAnswers } from './node-answer.ts';
import type { RpcCall } from './rpc-call.ts';

/** One URL. Both reject with a NodeFault if the node failed, and with another error if the node rejected the request. */
export type PooledNode<Question, Answer> = {
  /** The host, for metrics. */
  provider: string;
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  /** A small request that shows whether a node that was set aside can be used again. */
  check(signal: AbortSignal): Promise<unknown>;
};

export type PlaceOptions = {
  chainId: number;
  /** Whether nodes are checked before their first use and periodically. */
  checksFirst: boolean;
  /** Called for every request when it has succeeded or failed. */
  observe?: ((call: RpcCall) => void) | undefined;
  /** The meaning of a rejected request, for metrics. */
  refusalOf?: ((error: unknown) => RpcCall['refusal']) | undefined;
};

export type NodePlace<Question, Answer> = {
  /** Rejects with the signal's reason when that is aborted: a NodeFault blames the node, a NotNeeded does not. */
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  isAside(): boolean;
  /** Checks, in the background, a node whose time aside is over. */
  checkIfDue(): void;
};

/** Reason for cancelling a request: another node responded first. */
export class NotNeeded extends Error {}

const FIRST_ASIDE_MS = 5_000;
const LONGEST_ASIDE_MS = 300_000;
/** A node may be replaced by one of another chain behind the same URL. */
const CHECKED_FOR_MS = 300_000;

export function openNodePlace<Question, Answer>(
  node: PooledNode<Question, Answer>,
  options: PlaceOptions & { isOnly: boolean },
): NodePlace<Question, Answer> {
  let asideUntil: number | null = null;
  let timesAside = 0;
  let checkedAt: number | null = null;
  let checking: { done: Promise<void>; abort: AbortController } | null = null;

  function setAside(error: unknown): void {
    const answer = faultOf(error);
    if (answer === null || !nodeAnswers[answer].setsAside) return;
    // The next response may come from another node.
    if (answer === 'wrong_chain' || answer === 'unreachable') checkedAt = null;
    if (options.isOnly || (asideUntil !== null && asideUntil > performance.now())) return;
    timesAside += 1;
    asideUntil = performance.now() + Math.min(FIRST_ASIDE_MS * 2 ** (timesAside - 1), LONGEST_ASIDE_MS);
    checkedAt = null;
  }

  /** Requested once, however many callers wait for it. */
  function check(): NonNullable<typeof checking> {
    if (checking) return checking;
    const abort = new AbortController();
    const run = async () => {
      try {
        await observed(node.provider, options, () => node.check(abort.signal));
        checkedAt = performance.now();
        asideUntil = null;
      } catch (error) {
        setAside(error);
        throw error;
      } finally {
        checking = null;
      }
    };
    checking = { abort, done: run() };
    return checking;
  }

  function checkBeside(): void {
    check().done.catch(() => undefined);
  }

  return {
    async ask(question, signal) {
      if (options.checksFirst && checkedAt === null) await unlessAborted(check(), signal);
      else if (options.checksFirst && checkedAt !== null && performance.now() - checkedAt > CHECKED_FOR_MS)
        checkBeside();
      try {
        const answer = await observed(node.provider, options, () => node.ask(question, signal));
        asideUntil = null;
        timesAside = 0;
        return answer;
      } catch (error) {
        setAside(error);
        throw error;
      }
    },
    isAside: () => asideUntil !== null,
    checkIfDue() {
      if (asideUntil !== null && asideUntil <= performance.now()) checkBeside();
    },
  };
}

async function observed<Answer>(
  provider: string,
  { chainId, observe, refusalOf }: PlaceOptions,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const startedAt = performance.now();
  const report = (rest: Pick<RpcCall, 'fault' | 'refusal'>) =>
    observe?.({ chainId, provider, durationSeconds: (performance.now() - startedAt) / 1000, ...rest });
  try {
    const answer = await work();
    report({ fault: null, refusal: null });
    return answer;
  } catch (error) {
    if (!(error instanceof NotNeeded)) report({ fault: faultOf(error), refusal: refusalOf?.(error) ?? null });
    throw error;
  }
}

/** A check is shared with other callers and continues without this one, unless the node is at fault. */
async function unlessAborted(
  check: { done: Promise<void>; abort: AbortController },
  signal: AbortSignal,
): Promise<void> {
  const aborted = new Promise<never>((_, reject) => {
    const leave = () => {
      if (signal.reason instanceof NodeFault) check.abort.abort(signal.reason);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
  });
  await Promise.race([check.done, aborted]);
}
