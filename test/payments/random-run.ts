/**
 * A seeded run of payments, reorganisations, acts of strangers on the contract, and a gateway at work in between: its
 * verbs, its jobs, its pumps and its projector, each looking now and then.
 */
import { encodeFunctionData, erc20Abi } from 'viem';
import { transaction } from '../../prisma/client.ts';
import {
  captureCall,
  concedeCall,
  disputeCall,
  refundCall,
  resolveCall,
  settleCall,
  voidCall,
} from '../../src/escrow/calldata.ts';
import { depositAddress } from '../../src/escrow/deposits/deposit-address.ts';
import { cancelPaymentIntent } from '../../src/payments/actions/cancel-payment-intent.ts';
import { capturePaymentIntent } from '../../src/payments/actions/capture-payment-intent.ts';
import { refundPaymentIntent } from '../../src/payments/actions/refund-payment-intent.ts';
import { sweepPayments } from '../../src/payments/actions/sweep-payments.ts';
import { openDepositAddress } from '../../src/payments/deposits/open-deposit-address.ts';
import { sweepDeposits } from '../../src/payments/deposits/schedule-deposits.ts';
import { seeded } from '../setup/database/seeded.ts';
import type { Gateway } from '../setup/gateway/gateway.ts';
import type { Signed } from './ground.ts';

export type RandomRun = {
  intents: string[];
  payments: Signed[];
  /** Those of them that have a deposit address. */
  transfers: Signed[];
  reorganisations: number;
  /** Payments that a reorganisation took back, by the contract's state before it; DISPUTED is a captured one. */
  takenBack: Map<string, number>;
};

type Dice = { chance: () => number; below: (limit: number) => number };

/** Rounds until the gateway is idle; between them a failed simulation is due again. */
const LAST_ROUNDS = 30;
const LONGEST_RETRY_SECONDS = 61;
const STEPS_LIMIT = 20_000;

/** `deepest` must stay above the chain's finality. Goes on after `steps` until there were `least` of both. */
export async function randomRun(
  gateway: Gateway,
  { seed, steps, deepest, least = 0 }: { seed: number; steps: number; deepest: number; least?: number },
): Promise<RandomRun> {
  const chance = seeded(seed);
  const dice = { chance, below: (limit: number) => Math.floor(chance() * limit) };
  const run: RandomRun = { intents: [], payments: [], transfers: [], reorganisations: 0, takenBack: new Map() };
  // What the chain was furnished with must stay.
  await gateway.evm.mine(deepest);
  const isShort = () => run.reorganisations < least || run.payments.length < least;
  for (let step = 0; step < steps || (isShort() && step < STEPS_LIMIT); step += 1) {
    await happen(gateway, run, dice, deepest);
    if (chance() < 0.6) await gateway.observe();
    if (chance() < 0.3) await gateway.turnPumps();
    if (chance() < 0.2) await gateway.runDueJobs();
  }
  await comeToRest(gateway);
  return run;
}

async function happen(gateway: Gateway, run: RandomRun, dice: Dice, deepest: number): Promise<void> {
  const choice = dice.chance();
  const payment = run.payments[dice.below(run.payments.length)];
  const intentId = run.intents[dice.below(run.intents.length)];
  if (choice < 0.08 && payment) await transfer(gateway, run, dice);
  else if (choice < 0.25 || !payment || !intentId) await pay(gateway, run, dice);
  else if (choice < 0.45) await act(gateway, payment, dice);
  else if (choice < 0.62) await ask(gateway, intentId, dice);
  else if (choice < 0.7) await gateway.evm.mine(1 + dice.below(3));
  else if (choice < 0.75) await gateway.passTime(40);
  else await reorganise(gateway, run, 1 + dice.below(deepest));
}

/** Until nothing is under way: what is due is done, and what failed is tried until it is given up. */
async function comeToRest(gateway: Gateway): Promise<void> {
  let due: string[] = [];
  for (let round = 0; round < LAST_ROUNDS; round += 1) {
    await gateway.turnPumps();
    await gateway.settleDown();
    await sweepPayments(gateway.action);
    await sweepDeposits(gateway.action);
    const open = await gateway.database.outgoingTransaction.count({
      where: { status: { in: ['QUEUED', 'SIGNED', 'SENT'] } },
    });
    due = await gateway.runDueJobs();
    if (open === 0 && due.length === 0) return;
    await gateway.passTime(LONGEST_RETRY_SECONDS);
  }
  throw new Error(`The gateway did not become idle: ${due.join(', ')} ran last. ${await gateway.stillDue()}`);
}

async function pay(gateway: Gateway, run: RandomRun, { below, chance }: Dice): Promise<void> {
  const kind = chance();
  const again = chance() < 0.2 ? run.intents[below(run.intents.length)] : undefined;
  const intent = again === undefined ? await gateway.intent() : { id: again };
  const quick = { timelock: 0, disputeWindow: 0, arbiter: '0x0000000000000000000000000000000000000000' } as const;
  const signed = await gateway.sign(intent, {
    captureOnAuthorize: kind > 0.4,
    ...(kind > 0.75 ? quick : {}),
    amount: BigInt(1 + below(20_000_000)),
  });
  await gateway.authorize(signed);
  if (again === undefined) run.intents.push(intent.id);
  run.payments.push(signed);
}

/** A plain transfer of less than the amount, of exactly it, of more or of another token, to a new address or to one that is known. */
async function transfer(gateway: Gateway, run: RandomRun, { below }: Dice): Promise<void> {
  const { evm, database, action } = gateway;
  const known = below(3) === 0 ? run.transfers[below(run.transfers.length)] : undefined;
  const signed = known ?? (await openTransfer());
  const { amount } = signed.terms;
  const sent = [amount, amount, amount / 2n + 1n, amount + 7n][below(4)] ?? amount;
  await gateway.send(evm.payers[2], {
    to: below(6) === 0 ? evm.usdt.address : evm.usdc.address,
    data: encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transfer',
      args: [depositAddress({ escrow: evm.escrow, id: signed.id }), sent],
    }),
    value: 0n,
  });

  async function openTransfer(): Promise<Signed> {
    const intent = await gateway.intent();
    const made = await gateway.sign(intent, { amount: BigInt(1 + below(20_000_000)) });
    await transaction(database, (tx) =>
      openDepositAddress(tx, {
        chainId: evm.chainId,
        escrow: evm.escrow,
        terms: made.terms,
        tokenKey: evm.usdc.key,
        paymentIntentId: intent.id,
        quoteId: intent.id,
        expiresAt: new Date((made.terms.authorizeBy - 1_800) * 1000),
        now: action.clock.now(),
      }),
    );
    run.intents.push(intent.id);
    run.payments.push(made);
    run.transfers.push(made);
    return made;
  }
}

/** The merchant asks the gateway; what the state does not allow is refused, and that is all. */
async function ask(gateway: Gateway, id: string, { below }: Dice): Promise<void> {
  const request = { scope: gateway.scope, id };
  const { status, leftAmount } = await gateway.read(id);
  const asked =
    status === 'AUTHORIZED' && below(2) === 0
      ? capturePaymentIntent(gateway.action, request)
      : status === 'CAPTURED'
        ? refundPaymentIntent(gateway.action, {
            ...request,
            reason: 'At random',
            ...(below(2) === 0 && (leftAmount?.gt(100) ?? false) ? { percent: 1 + below(100) } : {}),
          })
        : cancelPaymentIntent(gateway.action, request);
  await asked.catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'INVALID_STATE')) throw error;
  });
}

/** Something that the contract allows a stranger at this moment, or pays again what a reorganisation took. */
async function act(gateway: Gateway, signed: Signed, { below }: Dice): Promise<void> {
  const { escrow, merchant, payers, arbiter } = gateway.evm;
  const of = { escrow, ...signed };
  const { status, left, disputedAt } = await gateway.state(signed.id);
  const some = left > 1n ? left - BigInt(below(Number(left))) : left;
  if (status === 'NONE' && (await isPayable(gateway, signed))) await gateway.authorize(signed);
  if (status === 'AUTHORIZED') {
    const capture = captureCall({ ...of, amount: some, expectedLeft: left });
    await gateway.send(merchant, below(2) === 0 ? voidCall(of) : capture);
  }
  if (status !== 'CAPTURED') return;
  if (disputedAt > 0) {
    if (below(2) === 0) await gateway.send(merchant, concedeCall(of));
    else await gateway.send(arbiter, resolveCall({ ...of, payerBps: below(10_001) }));
  } else if (below(2) === 0) {
    await gateway.send(merchant, refundCall({ ...of, amount: some, expectedLeft: left }));
  } else if (signed.terms.timelock === 0) {
    await gateway.send(payers[2], settleCall(of));
  } else if (await isDisputable(gateway, signed)) {
    await gateway.send(payers[0], disputeCall(of));
  }
}

async function reorganise(gateway: Gateway, run: RandomRun, depth: number): Promise<void> {
  const read = () => Promise.all(run.payments.map((signed) => gateway.state(signed.id)));
  const before = await read();
  await gateway.evm.reorg(depth);
  run.reorganisations += 1;
  const after = await read();
  for (const [index, state] of before.entries()) {
    const now = after[index];
    const isOpen = state.status === 'CAPTURED' && state.disputedAt > 0;
    if (now?.status === state.status && now.left === state.left && now.disputedAt === state.disputedAt) continue;
    const name = isOpen ? 'DISPUTED' : state.status;
    run.takenBack.set(name, (run.takenBack.get(name) ?? 0) + 1);
  }
}

async function isPayable(gateway: Gateway, signed: Signed): Promise<boolean> {
  return Number((await gateway.evm.publicClient.getBlock()).timestamp) + 60 < signed.terms.authorizeBy;
}

async function isDisputable(gateway: Gateway, signed: Signed): Promise<boolean> {
  const { capturedAt } = await gateway.state(signed.id);
  const { timestamp } = await gateway.evm.publicClient.getBlock();
  return Number(timestamp) + 5 < capturedAt + signed.terms.disputeWindow;
}
