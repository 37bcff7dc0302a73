/** Where an instant may come from: a business object's comes from the clock that its verb is given, or from the database's. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;
const files = (folder: string, end: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Internal data, which an operator measures in real time. */
const machinery = [
  'ChainCursor',
  'ChainFact',
  'IdempotencyRecord',
  'OutgoingAttempt',
  'OutgoingTransaction',
  'SolanaWatch',
  'TestClock',
];

test('a model takes its timestamps from the gateway’s clock, unless it is internal', () => {
  const models = files('prisma', '.prisma').flatMap((file) => [...read(file).matchAll(/^model (\w+) \{(.*?)^\}/gms)]);
  expect(models.length).toBeGreaterThan(40);
  const byRealTime = models.filter(([, , body = '']) => /@default\(now\(\)\)|@updatedAt/.test(body));
  expect(byRealTime.map(([, name]) => name).sort()).toEqual(machinery);
});

/** The clock itself, and code that measures real time on purpose. */
const clocks = [
  'src/platform/clock.ts',
  'src/test-clock/move-chain.ts',
  'src/test-clock/open-clock.ts',
  'src/test-clock/walk-clock.ts',
];

test('only the clock reads the machine’s time', () => {
  const readers = files('src', '.ts')
    .filter((file) => !file.startsWith('src/local/'))
    .filter((file) => /new Date\(\)|Date\.now\(\)/.test(read(file)));
  expect(readers.sort()).toEqual(clocks);
});

/**
 * Leases, heartbeats, how long ago the chains were looked at, the queue, idempotency keys, the schedule of webhooks, and how long
 * an event has waited for its number.
 */
const realStatements = [
  'src/events/append-events.ts',
  'src/events/consumers/store.ts',
  'src/events/webhooks/queue-deliveries.ts',
  'src/facts/store.ts',
  'src/gateway/chain-record/event-statements.ts',
  'src/gateway/chain-record/store.ts',
  'src/operations/health/vital-signs.ts',
  'src/operations/repair-operations.ts',
  'src/platform/idempotency/claim.ts',
  'src/platform/due-together.ts',
  'src/platform/jobs.ts',
  'src/platform/queue.ts',
  'src/platform/limits/purge-buckets.ts',
  'src/platform/limits/take-tokens.ts',
  'src/test-clock/store.ts',
].sort();

test('no statement writes the database’s time to a business object', () => {
  const writers = files('src', '.ts').filter((file) =>
    /(?<![.\w])(now|clock_timestamp|statement_timestamp)\(\)|CURRENT_TIMESTAMP/.test(withoutCode(read(file))),
  );
  expect(writers.sort()).toEqual(realStatements);
});

/** The text of template literals that hold SQL. */
function withoutCode(source: string): string {
  return [...source.matchAll(/`[^`]*\b(SELECT|INSERT|UPDATE|DELETE)\b[^`]*`/g)].map(([text]) => text).join('\n');
}
