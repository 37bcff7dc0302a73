/** The gate of a source and its breaker: which results count as failures, and which calls may begin. */
import { expect, test } from 'vitest';
import { openBreaker } from '../../../src/gateway/sources/breaker.ts';
import { SourceFault } from '../../../src/gateway/sources/source-fault.ts';
import { type Outcome, openSourceGate } from '../../../src/gateway/sources/source-gate.ts';
import { type Log, silentLog } from '../../../src/platform/log.ts';

const SETTINGS = { failures: 2, openMs: 1000 };

test('a call from before the opening neither closes the breaker nor ends the probe', () => {
  const breaker = openBreaker(SETTINGS);
  const stale = [attemptOf(breaker.begin(0)), attemptOf(breaker.begin(0)), attemptOf(breaker.begin(0))];
  for (const attempt of [breaker.begin(0), breaker.begin(0)]) breaker.fail(attemptOf(attempt), 0);
  expect(breaker.isOpen()).toBe(true);
  breaker.succeed(attemptOf(stale[0] ?? null));
  expect(breaker.isOpen()).toBe(true);

  const probe = attemptOf(breaker.begin(1000));
  breaker.succeed(attemptOf(stale[1] ?? null));
  expect(breaker.isOpen()).toBe(true);
  breaker.fail(attemptOf(stale[2] ?? null), 1000);
  // The probe is still running, and no other call may begin.
  expect(breaker.begin(1500)).toBeNull();
  breaker.succeed(probe);
  expect(breaker.isOpen()).toBe(false);
  // Earlier failures no longer count.
  breaker.fail(attemptOf(breaker.begin(1500)), 1500);
  expect(breaker.isOpen()).toBe(false);
});

test('a failed probe opens the breaker again, and the next call after an abandoned probe is the probe', () => {
  const breaker = openBreaker(SETTINGS);
  for (const attempt of [breaker.begin(0), breaker.begin(0)]) breaker.fail(attemptOf(attempt), 0);
  expect(breaker.begin(999)).toBeNull();
  breaker.abandon(attemptOf(breaker.begin(1000)));
  breaker.fail(attemptOf(breaker.begin(1000)), 1000);
  expect(breaker.begin(1999)).toBeNull();
  breaker.succeed(attemptOf(breaker.begin(2000)));
  expect(breaker.begin(2000)).not.toBeNull();
});

test('a timeout counts as a failure of the source at full length only, not after a wait in the queue', async () => {
  const { gate, advance, states } = openGate({ maxConcurrency: 1, breaker: { failures: 1, openMs: 1000 } });
  const first = held();
  const running = gate.run(call(), () => first.outcome);
  const queued = Array.from({ length: 3 }, () => gate.run(call(), () => Promise.reject(timedOut())));
  const ended = Promise.allSettled(queued);
  advance(1900);
  first.end({ value: 1, fault: undefined });
  expect(await running).toBe(1);
  expect((await ended).map((one) => one.status === 'rejected' && one.reason.reason)).toEqual(
    Array.from({ length: 3 }, () => 'timeout'),
  );
  expect(states).toEqual([false]);
  await expect(gate.run(call(), () => Promise.reject(timedOut()))).rejects.toMatchObject({ reason: 'timeout' });
  expect(states).toEqual([false, true]);
});

test('calls that fail after the breaker opened do not log another opening', async () => {
  const { gate, lines, states } = openGate({ maxConcurrency: 3, breaker: { failures: 1, openMs: 1000 } });
  const calls = Array.from({ length: 3 }, () => held());
  const running = calls.map(({ outcome }) => gate.run(call(), () => outcome));
  const fault = new SourceFault('garbage', 'It does not fit.');
  for (const { end } of calls) end({ value: 1, fault });
  await Promise.all(running);
  expect(states).toEqual([false, true]);
  expect(lines.filter((line) => line === 'The breaker of a source opened.')).toHaveLength(1);
  expect(lines.filter((line) => line === 'A request to a source failed.')).toHaveLength(3);
});

test('a partial value is returned and its fault counted, and an unknown error is counted', async () => {
  const { gate, outcomes } = openGate({ breaker: { failures: 9, openMs: 1000 } });
  const fault = new SourceFault('too-large', 'The list is long.');
  expect(await gate.run(call(), async () => ({ value: 'part', fault }))).toBe('part');
  await expect(gate.run(call(), () => Promise.reject(new TypeError('wrong')))).rejects.toMatchObject({
    reason: 'garbage',
  });
  expect(outcomes).toEqual(['too-large', 'garbage']);
});

test('a call that times out in the queue reports it', async () => {
  const { gate } = openGate({ maxConcurrency: 1, breaker: { failures: 1, openMs: 1000 } });
  const first = held();
  const running = gate.run(call(), () => first.outcome);
  const ending = new AbortController();
  const waiting = gate.run({ id: 'b', signal: ending.signal }, async () => ({ value: 2, fault: undefined }));
  ending.abort();
  await expect(waiting).rejects.toMatchObject({ message: 'The call timed out while waiting in the queue.' });
  first.end({ value: 1, fault: undefined });
  expect(await running).toBe(1);
});

const call = () => ({ id: 'a', signal: new AbortController().signal });
const timedOut = () => new SourceFault('timeout', 'No complete response was received in time.');

function attemptOf(attempt: number | null): number {
  if (attempt === null) throw new Error('The breaker let no call begin.');
  return attempt;
}

/** A call that the test ends. */
function held() {
  let end: (outcome: Outcome<number>) => void = () => {};
  const outcome = new Promise<Outcome<number>>((resolve) => {
    end = resolve;
  });
  return { outcome, end: (given: Outcome<number>) => end(given) };
}

/** A gate with a stopped clock, and its reports. */
function openGate(limits: { maxConcurrency?: number; breaker: { failures: number; openMs: number } }) {
  let nowMs = 0;
  const states: boolean[] = [];
  const outcomes: string[] = [];
  const lines: string[] = [];
  const log: Log = { ...silentLog, warn: (_fields, message) => void lines.push(message) };
  const gate = openSourceGate(
    {
      clock: { now: () => new Date(nowMs) },
      log,
      observer: {
        called: (_source, outcome) => void outcomes.push(outcome),
        breaker: (_source, { isOpen }) => void states.push(isOpen),
      },
    },
    {
      name: 'shop',
      limits: {
        timeoutMs: 2000,
        maxConcurrency: 8,
        maxQueue: 32,
        maxCallsPerRequest: 20,
        maxResponseBytes: 1000,
        ...limits,
      },
    },
  );
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return { gate, advance, states, outcomes, lines };
}
