/** Injects faults by the number of served calls, so that the machine's speed does not matter. The seed determines when and in which order. */
import { setTimeout as delay } from 'node:timers/promises';
import { seeded } from '../../setup/database/seeded.ts';
import { reorganize, running } from '../faults.ts';
import type { Ground } from '../open-ground.ts';
import { signal } from '../processes.ts';
import { readReadiness } from '../recovery.ts';

export type Counts = { kills: number; reorgs: number; late: number };

export type Striking = {
  struck: Counts;
  /** How often each part was killed. */
  killed: ReadonlyMap<string, number>;
  done: Promise<void>;
};

const killedParts = ['api', 'worker', 'indexer'] as const;
const DEEPEST = 8;
const LATE_SECONDS = { least: 4, most: 10 };
/** `npm start` gives up on a part that ends six times in a minute. */
const READY_LIMIT_MS = 60_000;
const LOOK_MS = 100;

export function strikeByProgress(
  world: {
    ground: Ground;
    chain: { chainId: number; rpcUrl: string };
    seed: number;
    progress: () => number;
    isOver: () => boolean;
    print: (line: string) => void;
  },
  { kills, reorgs, late }: Counts,
): Striking {
  const { ground, chain, seed, progress, isOver, print } = world;
  const struck: Counts = { kills: 0, reorgs: 0, late: 0 };
  const killed = new Map<string, number>();

  /** Injects `count` faults, spread over the run at slightly varied points. */
  const spread = async (name: keyof Counts, count: number, strike: (chance: () => number) => Promise<void>) => {
    const chance = seeded(seed * 7 + name.length);
    for (let index = 0; index < count; index += 1) {
      const place = (index + chance()) / count;
      while (progress() < place && !isOver()) await delay(LOOK_MS);
      if (isOver()) return;
      await strike(chance);
      struck[name] += 1;
    }
  };

  const kill = async (chance: () => number) => {
    const part = killedParts[Math.floor(chance() * killedParts.length)] ?? 'api';
    await delay(chance() * 1_000);
    signal([await running(ground.folder, { part, chainId: chain.chainId })], 'SIGKILL');
    killed.set(part, (killed.get(part) ?? 0) + 1);
    print(`kill -9 ${part}`);
    const deadline = performance.now() + READY_LIMIT_MS;
    await delay(1_000);
    while (!(await readReadiness(ground.demo.restUrl)).isReady && performance.now() < deadline)
      await delay(LOOK_MS * 5);
  };
  const reorg = async (chance: () => number) => {
    await reorganize(chain.rpcUrl, 1 + Math.floor(chance() * DEEPEST));
  };
  const answerLate = async (chance: () => number) => {
    const node = ground.nodes.get(chain.chainId);
    const seconds = LATE_SECONDS.least + chance() * (LATE_SECONDS.most - LATE_SECONDS.least);
    print(`the node answers late for ${seconds.toFixed(0)} s`);
    node?.misbehave('late');
    await delay(seconds * 1_000);
    node?.misbehave(undefined);
  };

  const run = async () => {
    try {
      await Promise.all([
        spread('kills', kills, kill),
        spread('reorgs', reorgs, reorg),
        spread('late', late, answerLate),
      ]);
    } finally {
      ground.nodes.get(chain.chainId)?.misbehave(undefined);
    }
  };
  return { struck, killed, done: run() };
}
