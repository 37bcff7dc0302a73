/**
 * The nodes of one chain, called in the order of the settings. If there are several, a node that fails, hangs or serves another chain is
 * set aside while the others are used, and is checked again in the background after growing pauses.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { faultOf, NodeFault, nodeAnswers } from './node-answer.ts';
import { type NodePlace, NotNeeded, openNodePlace, type PlaceOptions, type PooledNode } from './node-place.ts';

export type NodePool<Question, Answer> = {
  ask(question: Question): Promise<Answer>;
  /** The nodes in order. Those that are set aside come last. */
  each(): { ask(question: Question): Promise<Answer> }[];
};

/** If a node does not respond within this time, the next one is called as well. */
const PATIENCE_MS = 1_000;
/** Number of retries at the only node of a chain. */
const REPEATS = 2;
const FIRST_PAUSE_MS = 150;

/** Opens no connection. A chain without a node rejects every request. */
export function openNodePool<Question, Answer>(
  nodes: readonly PooledNode<Question, Answer>[],
  options: PlaceOptions,
): NodePool<Question, Answer> {
  const isOnly = nodes.length === 1;
  const places = nodes.map((node) => openNodePlace(node, { ...options, isOnly }));

  function inOrder(): { inUse: typeof places; aside: typeof places } {
    const inUse = places.filter((place) => !place.isAside());
    const aside = places.filter((place) => place.isAside());
    if (inUse.length > 0) for (const place of aside) place.checkIfDue();
    return { inUse, aside };
  }

  return {
    async ask(question) {
      const [only] = places;
      if (only && isOnly) return await askOnly(only, question);
      const { inUse, aside } = inOrder();
      return await askInTurn(inUse.length > 0 ? inUse : aside, question);
    },
    each() {
      const { inUse, aside } = inOrder();
      return [...inUse, ...aside].map((place) => ({
        ask: (question) => (isOnly ? askOnly(place, question) : place.ask(question, new AbortController().signal)),
      }));
    },
  };
}

/** There is no other node, so a fault that may pass quickly is retried. */
async function askOnly<Question, Answer>(place: NodePlace<Question, Answer>, question: Question): Promise<Answer> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await place.ask(question, new AbortController().signal);
    } catch (error) {
      const answer = faultOf(error);
      if (repeats >= REPEATS || answer === null || !nodeAnswers[answer].isRepeated) throw error;
      await delay(FIRST_PAUSE_MS * 2 ** repeats);
    }
  }
}

/** Each node is called when the previous one has failed or has not responded for some time. The first response counts. */
async function askInTurn<Question, Answer>(
  places: readonly NodePlace<Question, Answer>[],
  question: Question,
): Promise<Answer> {
  const waiting = [...places];
  const running: Run<Answer>[] = [];
  let last: unknown = new NodeFault('unreachable', 'The chain has no node.');
  try {
    for (;;) {
      const next = waiting.shift();
      if (next) running.push(start((signal) => next.ask(question, signal)));
      if (running.length === 0) throw last;
      const outcome = await firstOf(running, waiting.length > 0);
      if (outcome === null) continue;
      const position = running.indexOf(outcome.run);
      running.splice(position, 1);
      if ('answer' in outcome) {
        // The nodes that were called before it have not responded for too long.
        const overtaken = new NodeFault('timeout', 'Another node answered long before.');
        for (const { abort } of running.splice(0, position)) abort.abort(overtaken);
        return outcome.answer;
      }
      last = outcome.error;
      if (faultOf(last) === null) throw last;
    }
  } finally {
    for (const { abort } of running) abort.abort(new NotNeeded());
  }
}

type Run<Answer> = { abort: AbortController; outcome: Promise<Outcome<Answer>> };
type Outcome<Answer> = { run: Run<Answer> } & ({ answer: Answer } | { error: unknown });

function start<Answer>(work: (signal: AbortSignal) => Promise<Answer>): Run<Answer> {
  const abort = new AbortController();
  const answering = work(abort.signal);
  const run: Run<Answer> = {
    abort,
    outcome: answering.then(
      (answer) => ({ run, answer }),
      (error: unknown) => ({ run, error }),
    ),
  };
  return run;
}

/** Returns null if nothing arrived in the time that is allowed while other nodes wait. */
async function firstOf<Answer>(running: readonly Run<Answer>[], othersWait: boolean): Promise<Outcome<Answer> | null> {
  const outcomes = running.map((run) => run.outcome);
  if (!othersWait) return await Promise.race(outcomes);
  const waited = new AbortController();
  const patience = delay(PATIENCE_MS, null, { signal: waited.signal }).catch(() => null);
  try {
    return await Promise.race([...outcomes, patience]);
  } finally {
    waited.abort();
  }
}
