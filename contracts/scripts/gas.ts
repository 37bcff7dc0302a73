import { type ContractFunctionArgs, type ContractFunctionName, maxUint256, zeroAddress } from 'viem';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { escrowAddress } from '../../src/escrow/escrow-bytecode.ts';
import { termsHash } from '../../src/escrow/terms.ts';
import { usdcTokenAbi } from '../../src/local/test-tokens.ts';
import { measureBatches } from './gas-batches.ts';
import {
  type Account,
  type Bench,
  consentOf,
  mined,
  newCharge,
  newTerms,
  openBench,
  pass,
  signDispute,
  signPermit,
  signReceive,
  signTerms,
  type Terms,
} from './gas-bench.ts';
import { measureDeposits } from './gas-deposits.ts';
import { type Row, report } from './gas-report.ts';

/**
 * Measures whole-transaction gas (21,000 included) of every operation from the receipts of a local chain, and writes
 * the tables of docs/gas.md. With `--check` it writes nothing and fails if one has changed.
 */

type Writes = ContractFunctionName<typeof escrowAbi, 'nonpayable' | 'payable'>;
const rows: Row[] = [];

async function send<Name extends Writes>(
  { client }: Bench,
  from: Account,
  functionName: Name,
  args: ContractFunctionArgs<typeof escrowAbi, 'nonpayable' | 'payable', Name>,
  value = 0n,
): Promise<bigint> {
  // The generic call is typed by this function's own signature; viem cannot follow the name through it.
  const request = { chain: null, account: from, address: escrowAddress, abi: escrowAbi, functionName, args, value };
  const hash = await client.writeContract(request as unknown as Parameters<typeof client.writeContract>[0]);
  const receipt = await mined(client, hash);
  if (receipt.status !== 'success') throw new Error(`${functionName} reverted.`);
  return receipt.gasUsed;
}

async function approve({ client, token, people }: Bench, value: bigint): Promise<bigint> {
  const hash = await client.writeContract({
    chain: null,
    account: people.payer,
    address: token,
    abi: usdcTokenAbi,
    functionName: 'approve',
    args: [escrowAddress, value],
  });
  return (await mined(client, hash)).gasUsed;
}

async function authorizeDirect(bench: Bench, terms: Terms): Promise<bigint> {
  const signature = await signTerms(bench.people.operator, terms);
  const value = terms.token === zeroAddress ? terms.amount : 0n;
  return await send(bench, bench.people.payer, 'authorize', [terms, signature], value);
}

/** An open payment, to measure what comes after it. */
async function opened(bench: Bench, changes: Partial<Terms> = {}): Promise<Terms> {
  const terms = await newTerms(bench, changes);
  await authorizeDirect(bench, terms);
  return terms;
}

async function measureAuthorizations(bench: Bench): Promise<void> {
  const { operator, payer, relayer } = bench.people;
  await approve(bench, maxUint256);
  await opened(bench);
  const hold = await authorizeDirect(bench, await newTerms(bench, { captureOnAuthorize: false }));
  rows.push({ operation: 'authorize (DIRECT, hold)', gas: hold, target: 90_000n });
  const direct = await authorizeDirect(bench, await newTerms(bench));
  rows.push({ operation: 'authorize (DIRECT, captured at once)', gas: direct });
  const native = await authorizeDirect(bench, await newTerms(bench, { token: zeroAddress }));
  rows.push({ operation: 'authorize (native coin, captured at once)', gas: native });

  const allowed = await newTerms(bench, { captureOnAuthorize: false });
  const allowedBy = await signTerms(payer, allowed);
  rows.push({
    operation: 'authorizeWithAllowance (hold)',
    gas: await send(bench, relayer, 'authorizeWithAllowance', [allowed, await signTerms(operator, allowed), allowedBy]),
  });

  rows.push({ operation: 'approve (the token’s own)', gas: await approve(bench, 0n) });
  const permits = [
    { operation: 'authorizeWithPermit (hold; the payer’s first permit)', target: 125_000n },
    { operation: 'authorizeWithPermit (hold; a later one)', target: 125_000n },
  ];
  for (const permit of permits) {
    const permitted = await newTerms(bench, { captureOnAuthorize: false });
    const { deadline, v, r, s } = await signPermit(bench, permitted.amount);
    const operatorSignature = await signTerms(operator, permitted);
    const payerSignature = await signTerms(payer, permitted);
    rows.push({
      ...permit,
      gas: await send(bench, relayer, 'authorizeWithPermit', [
        permitted,
        operatorSignature,
        payerSignature,
        deadline,
        v,
        r,
        s,
      ]),
    });
  }

  const received = await newTerms(bench, { captureOnAuthorize: false });
  const validBefore = BigInt(received.authorizeBy);
  const nonce = termsHash(received);
  const signature = await signReceive(bench, { nonce, value: received.amount, validBefore });
  rows.push({
    operation: 'authorizeWithReceive (ERC-3009, hold)',
    gas: await send(bench, relayer, 'authorizeWithReceive', [
      received,
      await signTerms(operator, received),
      validBefore,
      signature,
    ]),
    target: 115_000n,
  });
  rows.splice(4, 1, {
    operation: 'approve (the token’s own)',
    gas: await approve(bench, maxUint256),
  });
}

async function measureHolds(bench: Bench): Promise<void> {
  const { operator, relayer } = bench.people;
  const hold = { captureOnAuthorize: false };
  const whole = await opened(bench, hold);
  const capture = await send(bench, operator, 'capture', [whole, whole.amount, whole.amount]);
  rows.push({ operation: 'capture (all)', gas: capture, target: 40_000n });
  const part = await opened(bench, hold);
  rows.push({
    operation: 'capture (a part, the rest returned)',
    gas: await send(bench, operator, 'capture', [part, 10_000_000n, part.amount]),
  });
  const voided = await send(bench, operator, 'void', [await opened(bench, hold)]);
  rows.push({ operation: 'void', gas: voided, target: 50_000n });
  const late = await opened(bench, hold);
  await pass(bench, 8 * 86_400);
  const reclaimed = await send(bench, relayer, 'reclaim', [late]);
  rows.push({ operation: 'reclaim', gas: reclaimed, target: 50_000n });
}

async function measureCaptured(bench: Bench): Promise<void> {
  const { operator, relayer } = bench.people;
  const part = await opened(bench);
  const refund = await send(bench, operator, 'refund', [part, 5_000_000n, part.amount]);
  rows.push({ operation: 'refund (a part)', gas: refund, target: 52_000n });
  const whole = await opened(bench);
  rows.push({
    operation: 'refund (all)',
    gas: await send(bench, operator, 'refund', [whole, whole.amount, whole.amount]),
    target: 52_000n,
  });
  const settled = await opened(bench);
  const free = await opened(bench, { feeBps: 0 });
  const native = await opened(bench, { token: zeroAddress });
  await pass(bench, 7 * 86_400);
  rows.push({
    operation: 'settle (with a fee)',
    gas: await send(bench, relayer, 'settle', [settled]),
    target: 62_000n,
  });
  rows.push({ operation: 'settle (without a fee)', gas: await send(bench, relayer, 'settle', [free]) });
  rows.push({ operation: 'settle (native coin, with a fee)', gas: await send(bench, relayer, 'settle', [native]) });
}

async function measureDisputes(bench: Bench): Promise<void> {
  const { operator, payer, arbiter, relayer } = bench.people;
  const resolved = await opened(bench);
  rows.push({ operation: 'dispute', gas: await send(bench, payer, 'dispute', [resolved]) });
  rows.push({
    operation: 'resolve (half and half, with a fee)',
    gas: await send(bench, arbiter, 'resolve', [resolved, 5_000]),
  });
  const conceded = await opened(bench);
  const signature = await signDispute(payer, conceded);
  rows.push({
    operation: 'disputeWithSignature',
    gas: await send(bench, relayer, 'disputeWithSignature', [conceded, signature]),
  });
  rows.push({ operation: 'concede', gas: await send(bench, operator, 'concede', [conceded]) });
  const timedOut = await opened(bench);
  await send(bench, payer, 'dispute', [timedOut]);
  await pass(bench, 30 * 86_400);
  rows.push({
    operation: 'resolveByTimeout (half and half, with a fee)',
    gas: await send(bench, relayer, 'resolveByTimeout', [timedOut]),
  });
}

async function measureRenewals(bench: Bench): Promise<void> {
  const { people } = bench;
  const consent = consentOf(await newTerms(bench));
  for (const period of [0, 1]) {
    const { terms, operatorSignature, consentSignature } = await newCharge(bench, { consent, period });
    rows.push({
      operation: period === 0 ? 'charge (the first)' : 'charge (a later one)',
      gas: await send(bench, people.relayer, 'charge', [consent, period, terms, operatorSignature, consentSignature]),
    });
    await pass(bench, 31 * 86_400);
  }
  rows.push({ operation: 'revoke', gas: await send(bench, people.payer, 'revoke', [consent]) });
}

async function measureClaims(bench: Bench): Promise<void> {
  const { client, token, people } = bench;
  const merchant = people.merchant.address;
  const act = { chain: null, address: token, abi: usdcTokenAbi, args: [merchant] } as const;
  for (const [operation, caller] of [
    ['claim', people.merchant],
    ['claimFor', people.relayer],
  ] as const) {
    const terms = await opened(bench, { feeBps: 0 });
    await client.writeContract({ ...act, functionName: 'blacklist' });
    await pass(bench, 7 * 86_400);
    const settled = await send(bench, people.relayer, 'settle', [terms]);
    if (operation === 'claim') rows.push({ operation: 'settle (the merchant cannot be paid)', gas: settled });
    await client.writeContract({ ...act, functionName: 'unBlacklist' });
    const gas =
      operation === 'claim'
        ? await send(bench, caller, operation, [token, merchant])
        : await send(bench, caller, operation, [merchant, token]);
    rows.push({ operation, gas });
  }
}

function addWholePath(): void {
  const gasOf = (operation: string) => rows.find((row) => row.operation === operation)?.gas ?? 0n;
  rows.push({
    operation: 'whole path: authorize (DIRECT, captured at once) + settle',
    gas: gasOf('authorize (DIRECT, captured at once)') + gasOf('settle (with a fee)'),
    target: 150_000n,
  });
}

/** The same operations when no other payment holds the token: its balance slot is then created and cleared. */
async function measureAlone(bench: Bench): Promise<void> {
  const { operator } = bench.people;
  const hold = { captureOnAuthorize: false };
  await approve(bench, maxUint256);
  const first = await newTerms(bench, hold);
  rows.push({ operation: 'alone: authorize (DIRECT, hold)', gas: await authorizeDirect(bench, first) });
  const voided = await send(bench, operator, 'void', [first]);
  rows.push({ operation: 'alone: void', gas: voided, target: 50_000n });
  const second = await opened(bench);
  const refund = await send(bench, operator, 'refund', [second, second.amount, second.amount]);
  rows.push({ operation: 'alone: refund (all)', gas: refund, target: 52_000n });
}

/** Each on a fresh chain, which is ended whatever happens. */
async function measure(othersHold: bigint, operations: ((bench: Bench) => Promise<void>)[]): Promise<void> {
  const bench = await openBench({ othersHold });
  try {
    for (const operation of operations) await operation(bench);
  } finally {
    bench.stop();
  }
}

await measure(10n ** 12n, [
  measureAuthorizations,
  measureHolds,
  measureCaptured,
  measureDisputes,
  measureRenewals,
  measureClaims,
  async (bench) => void rows.push(...(await measureDeposits(bench))),
]);
addWholePath();
await measure(0n, [measureAlone]);
await measure(10n ** 12n, [async (bench) => void rows.push(...(await measureBatches(bench)))]);

await report(rows, { check: process.argv.includes('--check') });
