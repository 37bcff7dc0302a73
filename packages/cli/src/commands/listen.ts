import { randomBytes } from 'node:crypto';
import { createSluice, type SluiceEvent, webhooks } from '@sluice/sdk';
import { type Command, number, text, UsageError } from '../command.ts';
import { readCredentials, readPrivate, requireTestKey, writePrivate } from '../credentials.ts';

/** The timeout of the gateway's own deliveries. */
const FORWARD_LIMIT_MS = 15_000;

export const listen: Command = {
  usage: '--forward-to http://localhost:3000/webhooks [--types a,b] [--after N | --resume]',
  summary: "Sends a test app's events to a local server as they happen, signed as webhooks are.",
  options: {
    'forward-to': { type: 'string' },
    types: { type: 'string' },
    after: { type: 'string' },
    resume: { type: 'boolean' },
  },
  async run(given) {
    const target = text(given, 'forward-to');
    if (target === undefined || !URL.canParse(target))
      throw new UsageError('Give the address of your server with --forward-to.');
    const credentials = readCredentials();
    requireTestKey(credentials, 'listen');
    const state = readState();
    const sluice = createSluice(credentials);
    const kept = given.values.resume === true ? state.after[target] : undefined;
    const after = number(given, 'after') ?? kept ?? (await sluice.events.newestSequence({ signal: given.signal }));
    const types = text(given, 'types')?.split(',') as SluiceEvent['type'][] | undefined;
    state.after[target] = after;
    writeState(state);
    if (given.isJson) console.log(JSON.stringify({ secret: state.secret, forwardTo: target }));
    else console.log(`The webhook secret is ${state.secret}. Events go to ${target}. Ctrl-C ends it.`);
    const follow = sluice.events.follow({ signal: given.signal, after, ...(types ? { types } : {}) });
    for await (const event of follow) {
      const result = await forward(event, target, state.secret);
      state.after[target] = event.sequence;
      writeState(state);
      const { sequence, type, id } = event;
      if (given.isJson) console.log(JSON.stringify({ sequence, type, id, ...result }));
      else
        console.log(
          `${String(sequence).padStart(6)}  ${type.padEnd(34)}  ${result.status ?? result.failure}  ${result.ms} ms`,
        );
    }
  },
};

/** A failed delivery is not retried, as the gateway would retry a webhook: `--after` sends the event again. */
async function forward(event: SluiceEvent, target: string, secret: string) {
  const body = JSON.stringify(event);
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await webhooks.sign({ id: event.id, body, secret })) },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(FORWARD_LIMIT_MS),
    });
    await response.arrayBuffer();
    return { status: response.status, ms: elapsed() };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { failure: cause instanceof Error ? cause.message : String(cause), ms: elapsed() };
  }
}

/** The secret is reused, so that the local server needs to be configured only once. */
type State = { secret: string; after: Record<string, number> };

function readState(): State {
  const stored = readPrivate('listen.json');
  return stored === undefined
    ? { secret: `whsec_${randomBytes(32).toString('base64')}`, after: {} }
    : JSON.parse(stored);
}

function writeState(state: State): void {
  writePrivate('listen.json', `${JSON.stringify(state, null, 2)}\n`);
}
