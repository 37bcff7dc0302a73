/** Sends attacks to an API in this process, and counts the work that each one causes. */
import { parse } from 'graphql';
import { openRestApi, type RestApi } from '../../setup/api/rest.ts';
import type { Attack } from './attack.ts';
import { openWorkCounter, type Work, type WorkCounter } from './count-work.ts';
import { evaluateOutcome, type Finding, isRefusal } from './evaluate-outcome.ts';
import type { Evaluator } from './run-attacks.ts';
import { type Outcome, sendAttack, type Target } from './send-attack.ts';

/** The allowed number of function calls: a base, and more per token and character of a document, byte of another body, and response byte. */
const CALLS = { least: 80_000, refusedToken: 100, token: 300, character: 4, bodyByte: 6, answered: 8 };
/** The number of times that a message's document may be parsed. */
const PARSES_MOST = 2;
/** A document is validated once by all rules except the most expensive one, and once by that rule if its selections overlap. */
const VALIDATIONS_MOST = 2;
const VISITS = { least: 12, token: 0.2 };
/** An API with fewer function calls than this between two samples has finished its work. */
const QUIET_CALLS = 500;
const TOKENS_MOST = 4_000;

export type Attacked = { attack: Attack; outcome: Outcome; work: Work };

/** Opens a warmed-up API, so that one-time work does not count towards the first attack. */
export async function openAttackedApi(): Promise<{ api: RestApi; target: Target; counter: WorkCounter }> {
  const api = await openRestApi({ environment: { TRUSTED_PROXIES: '1' } });
  const { secretKey, publishableKey } = api.merchantA;
  for (const key of [undefined, secretKey, publishableKey]) {
    await api.graphql('{ viewer { kind } __schema { types { name fields { name } } } }', {}, { key });
    await api.graphql('{ paymentIntents(first: 1) { nodes { id } } nothing }', {}, { key });
    await api.graphql('mutation { createPaymentIntent(input: {amount: 1}) { id } }', {}, { key });
    await api.rest('GET', '/payments/intents', { key });
    await api.rest('POST', '/payments/intents', { key, body: { amount: 'x' } });
  }
  const counter = await openWorkCounter();
  return { api, target: { url: api.url, secretKey, publishableKey }, counter };
}

/** Checks the response and its cost, and that the API still responds to other requests. */
export function attackEvaluator(
  target: Target,
  counter: WorkCounter,
  onAttacked: (attacked: Attacked) => void = () => undefined,
): Evaluator {
  return async (attack) => {
    await settled(target, counter);
    const { outcome, work } = await cost(target, counter, attack);
    onAttacked({ attack, outcome, work });
    return [...evaluateOutcome(attack, outcome), ...(await tooMuch({ attack, outcome, work }))];
  };

  /** Repeats an expensive rejected message. Its cost recurs, because nothing of it is cached, but other work of the process does not. */
  async function tooMuch({ attack, outcome, work }: Attacked): Promise<Finding[]> {
    const found = evaluateWork(attack, outcome, work);
    if (found.length === 0 || !isRefusal(outcome)) return found;
    const again = await cost(target, counter, attack);
    const causes = new Set(evaluateWork(attack, again.outcome, again.work).map(({ cause }) => cause));
    return found.filter(({ cause }) => causes.has(cause));
  }
}

async function cost(target: Target, counter: WorkCounter, attack: Attack): Promise<{ outcome: Outcome; work: Work }> {
  const outcome = await sendAttack(target, attack);
  return { outcome, work: await settled(target, counter) };
}

/** Returns the work since the last sample, after it has ended. The response may arrive earlier. */
async function settled({ url }: Target, counter: WorkCounter): Promise<Work> {
  const work: Work = { calls: 0, parses: 0, visits: 0, validations: 0 };
  for (;;) {
    const { ok, status } = await fetch(`${url}/healthz`);
    if (!ok) throw new Error(`/healthz answers ${status}.`);
    const more = await counter.take();
    for (const name of names) work[name] += more[name];
    if (more.calls < QUIET_CALLS) return work;
  }
}

const names = ['calls', 'parses', 'visits', 'validations'] as const;

function evaluateWork(attack: Attack, outcome: Outcome, work: Work): Finding[] {
  const documents = documentsOf(attack);
  const perToken = isRefusal(outcome) ? CALLS.refusedToken : CALLS.token;
  const tokens = documents.reduce((sum, text) => sum + Math.min(TOKENS_MOST, tokensOf(text)), 0);
  const messages = Math.max(1, documents.length, attack.over === 'socket' ? attack.answers[1] : 1);
  const bodyBytes = documents.length > 0 ? 0 : outcome.sentBytes;
  const answered = isRefusal(outcome) ? 0 : bytesOf(outcome);
  const limits = {
    calls:
      CALLS.least * messages +
      perToken * tokens +
      CALLS.character * documents.join('').length +
      CALLS.bodyByte * bodyBytes +
      CALLS.answered * answered,
    parses: PARSES_MOST * messages,
    visits: VISITS.least * messages + VISITS.token * tokens,
    validations: VALIDATIONS_MOST * messages,
  };
  return names
    .filter((name) => work[name] > limits[name])
    .map((name) => ({
      cause: `${attack.kind}: too many ${name}`,
      words: `${work[name]} ${name}, at most ${limits[name]} for ${tokens} tokens in ${documents.length} documents`,
    }));
}

function bytesOf(outcome: Outcome): number {
  const texts = outcome.over === 'websocket' ? outcome.messages : outcome.answers.map(({ body }) => body);
  return texts.join('').length;
}

/** The documents that the API may have executed for an attack. */
function documentsOf(attack: Attack): string[] {
  if (attack.over === 'http') return attack.document === undefined ? [] : [attack.document];
  if (attack.over === 'socket') return [];
  return attack.frames.flatMap((frame) => {
    const query = 'text' in frame ? /"query":("(?:[^"\\]|\\.)*")/.exec(frame.text)?.[1] : undefined;
    return query === undefined ? [] : [String(JSON.parse(query))];
  });
}

/** The number of tokens up to the document's first syntax error. */
function tokensOf(document: string): number {
  try {
    return parse(document, { maxTokens: TOKENS_MOST }).tokenCount ?? 0;
  } catch {
    return Math.min(TOKENS_MOST, document.match(/[A-Za-z_]\w*|[^\s,\w]/g)?.length ?? 0);
  }
}
