import { describe, expect, test } from 'vitest';
import { evaluateMemory, type Sample, slopeOf } from './evaluate-memory.ts';
import { faultsOf, MACHINE, type Soak } from './evaluate-soak.ts';
import { openObservations } from './observations.ts';
import { DUE_JOBS } from './table-sizes.ts';

const MINUTES = 60;

/** One sample per minute, with reproducible noise of up to `noiseMb` in both directions. */
function samples(mbAt: (minute: number) => number, noiseMb = 0): Sample[] {
  return Array.from({ length: MINUTES }, (_, minute) => {
    const noise = Math.sin(minute * 12.9898) * noiseMb;
    return { minute, mb: mbAt(minute) + noise };
  });
}

describe('memory', () => {
  test('that grows until the end is a leak, even if the noise exceeds its growth in a minute', () => {
    expect(
      evaluateMemory(
        samples((minute) => 100 + 0.3 * minute, 2),
        0.1,
      ).verdict,
    ).toBe('leak');
  });

  test('that grew in the first half only is steady', () => {
    const warmUp = samples((minute) => 100 + 5 * Math.min(minute, 25), 2);
    expect(evaluateMemory(warmUp, 0.1).verdict).toBe('steady');
    expect(slopeOf(warmUp)?.mbPerMinute).toBeGreaterThan(0.1);
  });

  test('that varies, jumps once, shrinks or grows by less than the limit is steady', () => {
    const jump = samples(() => 100, 2).map((sample) => (sample.minute === 59 ? { ...sample, mb: 400 } : sample));
    for (const steady of [
      samples(() => 100, 20),
      jump,
      samples((minute) => 200 - minute, 2),
      samples((minute) => 100 + 0.05 * minute),
    ]) {
      expect(evaluateMemory(steady, 0.1).verdict).toBe('steady');
    }
  });

  test('with too few samples is not evaluated', () => {
    expect(evaluateMemory(samples((minute) => minute).slice(0, 8), 0.1).verdict).toBe('too few samples');
  });
});

describe('a soak', () => {
  const quarters = (...medians: number[]) => medians.map((ms) => [ms, ms, ms]);
  const soak = (changes: Partial<Soak>): Soak => ({
    minutes: MINUTES,
    processes: [],
    tables: [],
    spans: new Map([['read intent', quarters(20, 20, 20, 20)]]),
    failures: new Map(),
    ...changes,
  });
  const leak = samples((minute) => 100 + minute);
  const level = samples(() => 100);

  test('passes if nothing grows, slows down or fails', () => {
    expect(faultsOf(soak({ processes: [{ name: 'API', heap: level, resident: level, highestMb: 0 }] }))).toEqual([]);
  });

  test('fails if the heap or the resident memory of a part grows, but not for a node that keeps its chain', () => {
    const faults = faultsOf(
      soak({
        processes: [
          { name: 'API', heap: leak, resident: level, highestMb: 0 },
          { name: 'worker', heap: level, resident: leak, highestMb: 0 },
          { name: 'node of chain 31337', heap: [], resident: leak, highestMb: 0 },
        ],
      }),
    );
    expect(faults).toEqual([
      'The heap of API grew by 1.00 MiB a minute in the last half; 0.1 are allowed.',
      'The resident memory of worker grew by 1.00 MiB a minute in the last half; 0.5 are allowed.',
    ]);
  });

  test('fails if a table grows that should be steady, but not for data that merchants may request', () => {
    const at = (rows: number) => [
      { table: DUE_JOBS, rows, bytes: 0 },
      { table: 'payment_intent', rows, bytes: 0 },
    ];
    expect(faultsOf(soak({ tables: [at(0), at(500), at(600), at(650), at(690)] }))).toEqual([]);
    const faults = faultsOf(soak({ tables: [at(0), at(500), at(600), at(700), at(800)] }));
    expect(faults).toEqual([`${DUE_JOBS} gained 300 rows after the first quarter and should not grow.`]);
  });

  test('fails if one operation has become slower, but not if the whole machine has', () => {
    const slower: [string, number[][]] = ['read intent', quarters(50, 80, 150, 400)];
    expect(faultsOf(soak({ spans: new Map([slower, [MACHINE, quarters(1, 1, 1, 1)]]) }))).toHaveLength(1);
    expect(faultsOf(soak({ spans: new Map([slower, [MACHINE, quarters(1, 1, 2, 4)]]) }))).toEqual([]);
    expect(faultsOf(soak({ spans: new Map([['read intent', quarters(5, 10, 20, 60)]]) }))).toEqual([]);
  });

  test('fails if more than one operation in a hundred fails', () => {
    const spans = new Map([['read intent', [Array.from({ length: 1_000 }, () => 20)]]]);
    const failures = (count: number) => new Map([['subscribe', { count, first: 'closed with 1006' }]]);
    expect(faultsOf(soak({ spans, failures: failures(10) }))).toEqual([]);
    expect(faultsOf(soak({ spans, failures: failures(11) }))).toEqual([
      '11 operations failed beside 1000 that did not: subscribe (11, first: closed with 1006)',
    ]);
  });
});

test('an operation is assigned to the quarter in which it began, and a failure replaces its time', async () => {
  let share = 0.3;
  const observations = openObservations(() => share);
  const begun = observations.timed('read', async () => {
    share = 0.9;
    return 7;
  });
  expect(await begun).toBe(7);
  await observations.timed('read', () => Promise.reject(new Error('away')));
  expect(
    observations
      .spans()
      .get('read')
      ?.map((times) => times.length),
  ).toEqual([0, 1, 0, 0]);
  expect(observations.failures().get('read')).toEqual({ count: 1, first: 'away' });
});
