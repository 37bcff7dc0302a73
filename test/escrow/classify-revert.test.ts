/** The verdicts on what the contract refuses, against the contract itself: each verb in each state of a payment. */

import { encodeErrorResult, type Hex } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { callFault } from '../../src/chains/evm/classify-answer.ts';
import {
  type Call,
  captureCall,
  concedeCall,
  disputeCall,
  disputeWithSignatureCall,
  reclaimCall,
  refundCall,
  resolveByTimeoutCall,
  settleCall,
  voidCall,
} from '../../src/escrow/calldata.ts';
import { classifyRevert, type RevertVerdict } from '../../src/escrow/classify-revert.ts';
import { disputeTypedData } from '../../src/escrow/dispute-request.ts';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { type Ground, openGround, type Signed } from '../payments/ground.ts';

type Verdict = RevertVerdict | 'SUCCEEDS';

const DAY = 86_400;
const AMOUNT = 10_000_000n;

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});

/** A payment that has just come into each state; its capture and dispute deadlines are days away, its timelock too. */
const states = {
  NONE: async () => await newPayment(false, { isAuthorized: false }),
  AUTHORIZED: async () => await newPayment(false),
  CAPTURED: async () => await newPayment(true),
  DISPUTED: async () => await after(await newPayment(true), disputeCall, 'payer'),
  VOIDED: async () => await after(await newPayment(false), voidCall, 'operator'),
  REFUNDED: async () => await after(await newPayment(true), (of) => refundCall({ ...of, ...wholly }), 'operator'),
  RESOLVED: async () => await after(await after(await newPayment(true), disputeCall, 'payer'), concedeCall, 'operator'),
} satisfies Record<string, () => Promise<Signed>>;
type State = keyof typeof states;

const wholly = { amount: AMOUNT, expectedLeft: AMOUNT };
const verbs = {
  capture: (of: OfPayment) => captureCall({ ...of, ...wholly }),
  void: voidCall,
  reclaim: reclaimCall,
  refund: (of: OfPayment) => refundCall({ ...of, ...wholly }),
  settle: settleCall,
  dispute: async (of: OfPayment, id: Hex) => {
    const { evm } = ground;
    const typed = disputeTypedData({ chainId: evm.chainId, escrow: evm.escrow, id });
    const payerSignature = await evm.walletFor(evm.payers[0].privateKey).signTypedData(typed);
    return disputeWithSignatureCall({ ...of, payerSignature });
  },
  concede: concedeCall,
  resolveByTimeout: resolveByTimeoutCall,
} satisfies Record<string, (of: OfPayment, id: Hex) => Call | Promise<Call>>;
type Verb = keyof typeof verbs;
type OfPayment = Parameters<typeof voidCall>[0];

/** Now; a call that never succeeds does not in 100 days either. */
const grid: Record<State, Record<Verb, Verdict>> = {
  NONE: row('BEHIND', 'BEHIND', 'BEHIND', 'BEHIND', 'BEHIND', 'BEHIND', 'BEHIND', 'BEHIND'),
  AUTHORIZED: row('SUCCEEDS', 'SUCCEEDS', 'PASSES', 'BEHIND', 'BEHIND', 'BEHIND', 'BEHIND', 'BEHIND'),
  CAPTURED: row('OVERTAKEN', 'OVERTAKEN', 'OVERTAKEN', 'SUCCEEDS', 'PASSES', 'SUCCEEDS', 'BEHIND', 'BEHIND'),
  DISPUTED: row('OVERTAKEN', 'OVERTAKEN', 'OVERTAKEN', 'SUCCEEDS', 'OVERTAKEN', 'OVERTAKEN', 'SUCCEEDS', 'PASSES'),
  ...ended('VOIDED', 'REFUNDED', 'RESOLVED'),
};

function row(...verdicts: [Verdict, Verdict, Verdict, Verdict, Verdict, Verdict, Verdict, Verdict]) {
  const [capture, voiding, reclaim, refund, settle, dispute, concede, resolveByTimeout] = verdicts;
  return { capture, void: voiding, reclaim, refund, settle, dispute, concede, resolveByTimeout };
}

function ended<Name extends State>(...names: Name[]): Record<Name, Record<Verb, Verdict>> {
  const over = 'OVERTAKEN';
  const rows = names.map((name) => [name, row(over, over, over, over, over, over, over, over)]);
  return Object.fromEntries(rows) as Record<Name, Record<Verb, Verdict>>;
}

async function newPayment(captureOnAuthorize: boolean, { isAuthorized = true } = {}): Promise<Signed> {
  const now = Number((await ground.evm.publicClient.getBlock()).timestamp);
  const captureBy = now + 2 * DAY;
  const windows = { timelock: DAY, disputeWindow: DAY, disputeTimeout: 7 * DAY };
  const signed = await ground.sign(await ground.intent(), { captureOnAuthorize, captureBy, ...windows });
  if (isAuthorized) await ground.authorize(signed);
  return signed;
}

async function after(signed: Signed, call: (of: OfPayment) => Call, by: 'payer' | 'operator'): Promise<Signed> {
  const { evm } = ground;
  await ground.send(by === 'payer' ? evm.payers[0] : evm.operator, call({ escrow: evm.escrow, terms: signed.terms }));
  return signed;
}

/** As the operator would simulate it. */
async function verdictOn(signed: Signed, verb: Verb): Promise<Verdict> {
  const { evm } = ground;
  const call = await verbs[verb]({ escrow: evm.escrow, terms: signed.terms }, signed.id);
  try {
    await evm.publicClient.estimateGas({ account: evm.operator.address, ...call });
    return 'SUCCEEDS';
  } catch (error) {
    const fault = callFault(error);
    if (fault?.kind !== 'REVERT' || fault.data === null) throw error;
    return classifyRevert(fault.data);
  }
}

async function verdictsOn(signed: Signed): Promise<Record<Verb, Verdict>> {
  const names = Object.keys(verbs) as Verb[];
  const pairs = await Promise.all(names.map(async (verb) => [verb, await verdictOn(signed, verb)] as const));
  return Object.fromEntries(pairs) as Record<Verb, Verdict>;
}

describe('a verb on a payment', () => {
  it('is judged in every state, and what is judged as never possible is never possible', async () => {
    const payments = new Map<State, Signed>();
    for (const state of Object.keys(states) as State[]) payments.set(state, await states[state]());
    const now: Partial<Record<State, Record<Verb, Verdict>>> = {};
    for (const [state, signed] of payments) now[state] = await verdictsOn(signed);
    expect(now).toEqual(grid);
    await ground.evm.passTime(100 * DAY);
    for (const [state, signed] of payments) {
      const later = await verdictsOn(signed);
      for (const verb of Object.keys(verbs) as Verb[]) {
        if (grid[state][verb] === 'OVERTAKEN') expect(`${state} ${verb} ${later[verb]}`).not.toContain('SUCCEEDS');
      }
      // What only time kept from succeeding succeeds now.
      if (state === 'AUTHORIZED') expect(later).toMatchObject({ capture: 'LATE', reclaim: 'SUCCEEDS' });
      if (state === 'CAPTURED') expect(later).toMatchObject({ settle: 'SUCCEEDS', dispute: 'LATE' });
      if (state === 'DISPUTED') expect(later).toMatchObject({ resolveByTimeout: 'SUCCEEDS', settle: 'OVERTAKEN' });
    }
  });

  it('of a key that the terms do not name is impossible', async () => {
    const { evm } = ground;
    const { terms } = await newPayment(true);
    const call = refundCall({ escrow: evm.escrow, terms, ...wholly });
    const refused = evm.publicClient.estimateGas({ account: evm.payers[1].address, ...call });
    const fault = await refused.then(() => null, callFault);
    expect(fault?.kind === 'REVERT' && fault.data !== null && classifyRevert(fault.data)).toBe('IMPOSSIBLE');
  });
});

describe('an error', () => {
  const wrongLeft = (actual: bigint, expected: bigint) =>
    encodeErrorResult({ abi: escrowAbi, errorName: 'WrongLeft', args: [actual, expected] });
  const wrongStatus = (actual: number, required: number) =>
    encodeErrorResult({ abi: escrowAbi, errorName: 'WrongStatus', args: [`0x${'00'.repeat(32)}`, actual, required] });
  const notOpen = (now: bigint) =>
    encodeErrorResult({ abi: escrowAbi, errorName: 'PeriodNotOpen', args: [now, 100, 200] });

  it.each([
    ['less is left than expected: something else moved money', wrongLeft(4n, 5n), 'OVERTAKEN'],
    ['more is left than expected: the node is behind', wrongLeft(5n, 4n), 'BEHIND'],
    ['the payment exists already: somebody carried this authorization', wrongStatus(2, 0), 'PASSES'],
    ['a status that this version does not know', wrongStatus(99, 2), 'PASSES'],
    ['a period that opens later', notOpen(99n), 'PASSES'],
    ['a period that is over', notOpen(200n), 'LATE'],
    ['a token that is paused: `Error("paused")`', '0x08c379a0', 'PASSES'],
    ['an error of some other contract', '0xdeadbeef', 'PASSES'],
  ] as const)('%s', (_, data, verdict) => {
    expect(classifyRevert(data)).toBe(verdict);
  });
});
