/** Frames of graphql-ws that are too early, too frequent, too large, or invalid. */
import fc, { type Arbitrary } from 'fast-check';
import type { Frame, FrameAttack, Header } from './attack.ts';
import { credential } from './graphql-attacks.ts';
import { hostileDocument } from './hostile-documents.ts';

const text = (value: unknown): Frame => ({ text: typeof value === 'string' ? value : JSON.stringify(value) });
const init: Frame = text({ type: 'connection_init' });
const subscribe = (id: unknown, payload: unknown): Frame => text({ type: 'subscribe', id, payload });
const sound = { query: '{ viewer { kind } }' };

const noMessage: Arbitrary<Frame> = fc.oneof(
  fc
    .constantFrom(
      '',
      ' ',
      '{',
      'null',
      '[]',
      '7',
      '""',
      '{}',
      '\u0000',
      '{"type":null}',
      '{"type":"x"}',
      '{"type":["ping"]}',
      '{"__proto__":{"type":"ping"}}',
    )
    .map(text),
  fc
    .constantFrom(
      '{"type":"next","id":"1","payload":{}}',
      '{"type":"connection_ack"}',
      '{"type":"error","id":"1","payload":[]}',
      '{"type":"start","id":"1","payload":{"query":"{x}"}}',
      '{"type":"connection_terminate"}',
    )
    .map(text),
  fc.integer({ min: 1, max: 300_000 }).map((n) => text('['.repeat(n))),
  fc.integer({ min: 1, max: 1_300_000 }).map((n) => text({ type: 'ping', payload: { a: 'x'.repeat(n) } })),
  fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => ({ bytes, binary: true })),
  fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => ({ bytes, binary: false })),
  fc.constant({ bytes: Buffer.from('{"type":"ping"}'), binary: true }),
);

const initPayload: Arbitrary<Frame> = fc
  .oneof(
    fc.constantFrom<unknown>(
      null,
      'x',
      7,
      [],
      { 'x-api-key': 7 },
      { 'x-api-key': '' },
      { 'x-api-key': ['sk_test_x'] },
      { 'X-API-Key': 'sk_test_x' },
      { authorization: 'Bearer a.b.c' },
      { authorization: 'Basic x' },
      { authorization: { a: 1 } },
      { 'x-client-secret': 'x' },
      { 'x-client-secret': '\u0000' },
      { 'x-api-key': '\ud800' },
    ),
    fc.integer({ min: 1, max: 900_000 }).map((n) => ({ 'x-api-key': 'k'.repeat(n) })),
    fc
      .integer({ min: 1, max: 30_000 })
      .map((n) => Object.fromEntries(Array.from({ length: n }, (_, index) => [`k${index}`, index]))),
  )
  .map((payload) => text({ type: 'connection_init', payload }));

const subscribing: Arbitrary<Frame> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.uuid(), hostileDocument).map(([id, held]) => subscribe(id, { query: held.text })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<unknown>(
        null,
        'x',
        [],
        {},
        { query: null },
        { query: 7 },
        { query: sound.query, variables: 'x' },
        { query: sound.query, variables: [] },
        { query: sound.query, operationName: 7 },
        { query: sound.query, operationName: 'Nobody' },
        { query: sound.query, extensions: 'x' },
        { query: sound.query, extensions: { persistedQuery: { sha256Hash: 'x' } } },
        { documentId: 'x' },
        { query: 'query ($id: ID!) { paymentIntent(id: $id) { id } }', variables: { id: 'x' } },
        { query: 'subscription { nothing }' },
        { query: 'subscription { paymentIntentUpdated(id: "x") { id } }' },
        { query: 'subscription { a: chainStatus { appliedBlock } b: chainStatus { appliedBlock } }' },
        { query: 'subscription ($after: Int) { events(after: $after) { id } }', variables: { after: -1 } },
      )
      .map((payload) => subscribe('p', payload)),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<unknown>('', 7, null, {}, '__proto__', 'constructor', 'x'.repeat(70_000), '\u0000')
      .map((id) => subscribe(id, sound)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Frame>(
      text({ type: 'complete', id: '__proto__' }),
      text({ type: 'complete' }),
      text({ type: 'complete', id: 7 }),
      text({ type: 'pong', payload: 'x' }),
    ),
  },
);

type Sent = { kind: string; frames: Frame[] };

/** Sends `frames` after a valid first message, unless they contain their own. */
function sending<Held>(kind: string, held: Arbitrary<Held>, frames: (held: Held) => Frame[]): Arbitrary<Sent> {
  return held.map((value) => ({ kind, frames: frames(value) }));
}

function many(kind: string, max: number, frame: (index: number) => Frame[]): Arbitrary<Sent> {
  return sending(kind, fc.integer({ min: 2, max }), (n) => [
    init,
    ...Array.from({ length: n }, (_, at) => frame(at)).flat(),
  ]);
}

const some = <Held>(held: Arbitrary<Held>) => fc.array(held, { minLength: 1, maxLength: 4 });
const live = { query: 'subscription { chainStatus { appliedBlock } }' };

/** The frames of one connection, sent in order without waiting for responses. */
const sent: Arbitrary<Sent> = fc.oneof(
  sending('no messages', some(noMessage), (held) => [init, ...held]),
  sending('no messages before the first', some(noMessage), (held) => held),
  sending('a subscription before the first message', subscribing, (held) => [held]),
  sending('an odd first message', initPayload, (held) => [held, subscribe('1', sound)]),
  { weight: 2, arbitrary: sending('hostile subscriptions', some(subscribing), (held) => [init, ...held]) },
  many('the first message again', 40, () => [init]),
  many('one id again and again', 40, () => [subscribe('1', live)]),
  many('many subscriptions', 400, (at) => [subscribe(String(at), sound)]),
  many('many broken subscriptions', 200, (at) => [subscribe(String(at), { query: `{ f${at} }` })]),
  many('many pings', 1_000, () => [text({ type: 'ping' })]),
  many('subscriptions that end at once', 300, (at) => [
    subscribe(String(at), sound),
    text({ type: 'complete', id: String(at) }),
  ]),
);

const headers: Arbitrary<Header[]> = fc.constantFrom<Header[]>(
  [],
  [],
  [],
  [],
  [['origin', 'https://evil.example']],
  [['x-forwarded-for', '::::']],
  [['authorization', 'Bearer a.b.c']],
  [['x-api-key', 'sk_test_x']],
);

export const frameAttack: Arbitrary<FrameAttack> = fc
  .tuple(sent, credential, headers)
  .map(([{ kind, frames }, whose, head]) => ({ over: 'websocket', kind, credential: whose, headers: head, frames }));
