/** A seeded run of payments, acts on the contract and reorganisations, the projector looking now and then. */
import {
  captureCall,
  concedeCall,
  disputeCall,
  refundCall,
  resolveCall,
  settleCall,
  voidCall,
} from '../../src/escrow/calldata.ts';
import type { Ground, Signed } from './ground.ts';

export type RandomRun = { intents: string[]; payments: Signed[]; reorganisations: number };

/** mulberry32: the same seed, the same run. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `deepest` must stay above the chain's finality. */
export async function randomRun(
  ground: Ground,
  { seed, steps, deepest }: { seed: number; steps: number; deepest: number },
): Promise<RandomRun> {
  const random = seeded(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const run: RandomRun = { intents: [], payments: [], reorganisations: 0 };
  // What the chain was furnished with must stay.
  await ground.evm.mine(deepest);
  for (let step = 0; step < steps; step += 1) {
    const choice = random();
    if (choice < 0.3 || run.payments.length === 0) await pay(ground, run, { below, chance: random() });
    else if (choice < 0.65) await act(ground, run.payments[below(run.payments.length)], below);
    else if (choice < 0.75) await ground.evm.mine(1 + below(3));
    else {
      await ground.evm.reorg(1 + below(deepest));
      run.reorganisations += 1;
    }
    if (random() < 0.6) await ground.observe();
  }
  for (let turn = 0; turn < 3; turn += 1) await ground.observe();
  return run;
}

type Chance = { below: (limit: number) => number; chance: number };

async function pay(ground: Ground, run: RandomRun, { below, chance }: Chance): Promise<void> {
  const again = chance < 0.2 ? run.intents[below(run.intents.length)] : undefined;
  const intent = again === undefined ? await ground.intent() : { id: again };
  const quick = { timelock: 0, disputeWindow: 0, arbiter: '0x0000000000000000000000000000000000000000' } as const;
  const signed = await ground.sign(intent, {
    captureOnAuthorize: chance > 0.5,
    ...(chance > 0.75 ? quick : {}),
    amount: BigInt(1 + below(20_000_000)),
  });
  await ground.authorize(signed);
  if (again === undefined) run.intents.push(intent.id);
  run.payments.push(signed);
}

/** Something that the contract allows at this moment, or pays again what a reorganisation took. */
async function act(ground: Ground, signed: Signed | undefined, below: Chance['below']): Promise<void> {
  if (!signed) return;
  const { escrow, merchant, payers, arbiter } = ground.evm;
  const of = { escrow, ...signed };
  const { status, left, disputedAt } = await ground.state(signed.id);
  const some = left > 1n ? left - BigInt(below(Number(left))) : left;
  if (status === 'NONE') await ground.authorize(signed);
  if (status === 'AUTHORIZED') {
    await ground.send(
      merchant,
      below(2) === 0 ? voidCall(of) : captureCall({ ...of, amount: some, expectedLeft: left }),
    );
  }
  if (status !== 'CAPTURED') return;
  if (disputedAt > 0) {
    const ends = below(2) === 0;
    await ground.send(
      ends ? merchant : arbiter,
      ends ? concedeCall(of) : resolveCall({ ...of, payerBps: below(10_001) }),
    );
  } else if (below(2) === 0) {
    await ground.send(merchant, refundCall({ ...of, amount: some, expectedLeft: left }));
  } else if (signed.terms.timelock === 0) {
    await ground.send(payers[2], settleCall(of));
  } else if (await isDisputable(ground, signed)) {
    await ground.send(payers[0], disputeCall(of));
  }
}

async function isDisputable(ground: Ground, signed: Signed): Promise<boolean> {
  const { capturedAt } = await ground.state(signed.id);
  const { timestamp } = await ground.evm.publicClient.getBlock();
  return Number(timestamp) + 5 < capturedAt + signed.terms.disputeWindow;
}
