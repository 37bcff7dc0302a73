/** A small run of the random attacker. `npm run fuzz` sends twenty times as many requests and measures their time. */
import { expect, test } from 'vitest';
import { expectConsistentRows } from '../../fuzz/fuzz-api.ts';
import { attackEvaluator, openAttackedApi } from '../../fuzz/hostile/attack-api.ts';
import { runAttacks } from '../../fuzz/hostile/run-attacks.ts';

const { api, target, counter } = await openAttackedApi();

test('500 random hostile inputs are refused at a bounded cost and reveal nothing', async () => {
  await runAttacks({ seed: 20260301, count: 500 }, attackEvaluator(target, counter));
  counter.stop();
  await expectConsistentRows(api);
  expect((await api.graphql('{ viewer { kind } }')).data).toEqual({ viewer: { kind: 'anonymous' } });
}, 300_000);
