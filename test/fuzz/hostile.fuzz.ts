import { validateHeaderValue } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { type MeasuredApi, openMeasuredApi } from '../setup/api/measured-api.ts';
import { onTeardown } from '../setup/teardown.ts';
import { expectConsistentRows } from './fuzz-api.ts';
import { printAttack, type RequestAttack } from './hostile/attack.ts';
import { type Attacked, attackEvaluator, openAttackedApi } from './hostile/attack-api.ts';
import { isRefusal } from './hostile/evaluate-outcome.ts';
import { runAttacks } from './hostile/run-attacks.ts';
import { credentialHeaders } from './hostile/send-attack.ts';
import { HELD_LIMIT_BYTES, heldAfterDocuments, isWithin, timeRefusal } from './hostile/time-refusals.ts';

const { FUZZ_SEED, FUZZ_INDEX, FUZZ_ATTACKS = '10000', FUZZ_DOCUMENTS = '5000' } = process.env;
const seed = Number(FUZZ_SEED ?? Date.now() % 2 ** 31);
const [from, count] = FUZZ_INDEX === undefined ? [0, Number(FUZZ_ATTACKS)] : [Number(FUZZ_INDEX), 1];
const { api, target, counter } = await openAttackedApi();
/** The most expensive rejected request of each kind. */
const dearest = new Map<string, { attack: RequestAttack; calls: number }>();

test(`${count} hostile inputs from ${from} fail at bounded cost and reveal nothing (--seed ${seed})`, async () => {
  const kinds = new Map<string, number>();
  const evaluate = attackEvaluator(target, counter, (attacked) => {
    const { attack, outcome, work } = attacked;
    kinds.set(attack.kind, (kinds.get(attack.kind) ?? 0) + 1);
    keepDearest(attacked);
    if (FUZZ_INDEX !== undefined && kinds.get(attack.kind) === 1) console.log(printAttack(attack), outcome, work);
  });
  await runAttacks({ seed, from, count }, evaluate);
  counter.stop();
  console.log('Kinds of attacks', Object.fromEntries([...kinds].sort()));
  await expectConsistentRows(api);
});

function keepDearest({ attack, outcome, work }: Attacked): void {
  if (attack.over !== 'http' || attack.method !== 'POST' || !isRefusal(outcome) || !isForClient(attack)) return;
  const known = dearest.get(attack.kind);
  if (!known || known.calls < work.calls) dearest.set(attack.kind, { attack, calls: work.calls });
}

/** Whether Node's client, which the timing uses, sends such headers. */
function isForClient({ headers, credential }: RequestAttack): boolean {
  try {
    for (const [name, value] of [...headers, ...credentialHeaders(target, credential)])
      validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(FUZZ_INDEX !== undefined)('a dedicated API process', () => {
  let measured: MeasuredApi;
  beforeAll(async () => {
    measured = await openMeasuredApi({
      NODE_ENV: 'test',
      DATABASE_URL: api.databaseUrl,
      OPERATOR_PRIVATE_KEY: api.world.config.operator.privateKey ?? '',
      PRICE_SOURCE: 'fixed',
      LOG_LEVEL: 'silent',
      RATE_LIMIT_PER_SECOND: '100000',
      RATE_LIMIT_BURST: '100000',
      RATE_LIMIT_KEYLESS_PER_SECOND: '100000',
    });
    onTeardown(() => measured.stop());
  });

  test('rejects the most expensive input of each kind within its CPU time', async () => {
    const timed = [];
    for (const { attack } of dearest.values()) timed.push(await timeRefusal(measured, target, attack));
    timed.sort((left, right) => right.cost.medianMs - left.cost.medianMs);
    console.table(
      timed.slice(0, 20).map(({ kind, status, cost, parsing }) => ({
        kind,
        status,
        'median ms': cost.medianMs.toFixed(1),
        'mean ms': cost.meanMs.toFixed(1),
        'worst ms': cost.worstMs.toFixed(1),
        'parsing ms': parsing.medianMs.toFixed(1),
      })),
    );
    expect(timed.filter((one) => !isWithin(one))).toEqual([]);
  });

  test(`releases its memory after ${FUZZ_DOCUMENTS} different documents`, async () => {
    expect(await heldAfterDocuments(measured, { count: Number(FUZZ_DOCUMENTS), seed })).toBeLessThan(HELD_LIMIT_BYTES);
  });
});
