import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type ContractFunctionArgs, type ContractFunctionName, maxUint256, zeroAddress } from 'viem';
import type { privateKeyToAccount } from 'viem/accounts';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { escrowAddress } from '../../src/escrow/escrow-bytecode.ts';
import { usdcTokenAbi } from '../../src/local/test-tokens.ts';
import {
  type Bench,
  consentOf,
  idOf,
  newTerms,
  openBench,
  pass,
  signCharge,
  signDispute,
  signPermit,
  signReceive,
  signTerms,
  type Terms,
} from './gas-bench.ts';

/**
 * Measures whole-transaction gas (21,000 included) of every operation from the receipts of a local chain, and writes
 * the table of docs/gas.md. With `--check` it writes nothing and fails if the table has changed.
 */

type Account = ReturnType<typeof privateKeyToAccount>;
type Writes = ContractFunctionName<typeof escrowAbi, 'nonpayable' | 'payable'>;
type Row = { operation: string; gas: bigint; target?: bigint; reference?: string };

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
  const receipt = await client.waitForTransactionReceipt({ hash });
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
  return (await client.waitForTransactionReceipt({ hash })).gasUsed;
}

async function authorizeDirect(bench: Bench, terms: Terms): Promise<bigint> {
  const signature = await signTerms(bench, bench.people.operator, terms);
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
  rows.push({ operation: 'authorize (DIRECT, hold)', gas: hold, target: 90_000n, reference: '85,566' });
  const direct = await authorizeDirect(bench, await newTerms(bench));
  rows.push({ operation: 'authorize (DIRECT, captured at once)', gas: direct });
  const native = await authorizeDirect(bench, await newTerms(bench, { token: zeroAddress }));
  rows.push({ operation: 'authorize (native coin, captured at once)', gas: native });

  const allowed = await newTerms(bench, { captureOnAuthorize: false });
  const allowedBy = await signTerms(bench, payer, allowed);
  rows.push({
    operation: 'authorizeWithAllowance (hold)',
    gas: await send(bench, relayer, 'authorizeWithAllowance', [
      allowed,
      await signTerms(bench, operator, allowed),
      allowedBy,
    ]),
  });

  rows.push({ operation: 'approve (the token’s own)', gas: await approve(bench, 0n), reference: '55,338' });
  const permits = [
    { operation: 'authorizeWithPermit (hold; the payer’s first permit)', target: 125_000n },
    { operation: 'authorizeWithPermit (hold; a later one)', target: 125_000n },
  ];
  for (const permit of permits) {
    const permitted = await newTerms(bench, { captureOnAuthorize: false });
    const { deadline, v, r, s } = await signPermit(bench, permitted.amount);
    const operatorSignature = await signTerms(bench, operator, permitted);
    const payerSignature = await signTerms(bench, payer, permitted);
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
  const nonce = await idOf(bench, received);
  const signature = await signReceive(bench, { nonce, value: received.amount, validBefore });
  rows.push({
    operation: 'authorizeWithReceive (ERC-3009, hold)',
    gas: await send(bench, relayer, 'authorizeWithReceive', [
      received,
      await signTerms(bench, operator, received),
      validBefore,
      signature,
    ]),
    target: 115_000n,
    reference: '121,406',
  });
  rows.splice(4, 1, {
    operation: 'approve (the token’s own)',
    gas: await approve(bench, maxUint256),
    reference: '55,338',
  });
}

async function measureHolds(bench: Bench): Promise<void> {
  const { operator, relayer } = bench.people;
  const hold = { captureOnAuthorize: false };
  const whole = await opened(bench, hold);
  const capture = await send(bench, operator, 'capture', [whole, whole.amount, whole.amount]);
  rows.push({ operation: 'capture (all)', gas: capture, target: 40_000n, reference: '66,154' });
  const part = await opened(bench, hold);
  rows.push({
    operation: 'capture (a part, the rest returned)',
    gas: await send(bench, operator, 'capture', [part, 10_000_000n, part.amount]),
  });
  const voided = await send(bench, operator, 'void', [await opened(bench, hold)]);
  rows.push({ operation: 'void', gas: voided, target: 50_000n, reference: '54,217' });
  const late = await opened(bench, hold);
  await pass(bench, 8 * 86_400);
  const reclaimed = await send(bench, relayer, 'reclaim', [late]);
  rows.push({ operation: 'reclaim', gas: reclaimed, target: 50_000n, reference: '54,285' });
}

async function measureCaptured(bench: Bench): Promise<void> {
  const { operator, relayer } = bench.people;
  const part = await opened(bench);
  const refund = await send(bench, operator, 'refund', [part, 5_000_000n, part.amount]);
  rows.push({ operation: 'refund (a part)', gas: refund, target: 52_000n, reference: '70,408' });
  const whole = await opened(bench);
  rows.push({
    operation: 'refund (all)',
    gas: await send(bench, operator, 'refund', [whole, whole.amount, whole.amount]),
    target: 52_000n,
    reference: '70,408',
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
  const signature = await signDispute(payer, await idOf(bench, conceded));
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
  const { client, people } = bench;
  const consent = consentOf(await newTerms(bench));
  const consentId = await client.readContract({
    address: escrowAddress,
    abi: escrowAbi,
    functionName: 'consentIdOf',
    args: [consent],
  });
  const consentSignature = await people.payer.sign({ hash: consentId });
  for (const period of [0, 1]) {
    const intentId = await client.readContract({
      address: escrowAddress,
      abi: escrowAbi,
      functionName: 'chargeIntentId',
      args: [consentId, period],
    });
    const terms = await newTerms(bench, { intentId });
    const operatorSignature = await signCharge(people.operator, consentId, period, await idOf(bench, terms));
    rows.push({
      operation: period === 0 ? 'charge (the first)' : 'charge (a later one)',
      gas: await send(bench, people.relayer, 'charge', [consent, period, terms, operatorSignature, consentSignature]),
    });
    await pass(bench, 31 * 86_400);
  }
  rows.push({ operation: 'revoke', gas: await send(bench, people.payer, 'revoke', [consent]) });
}

async function measureClaim(bench: Bench): Promise<void> {
  const { client, token, people } = bench;
  const terms = await opened(bench, { feeBps: 0 });
  const act = { chain: null, address: token, abi: usdcTokenAbi, args: [people.merchant.address] } as const;
  await client.writeContract({ ...act, functionName: 'blacklist' });
  await pass(bench, 7 * 86_400);
  rows.push({
    operation: 'settle (the merchant cannot be paid)',
    gas: await send(bench, people.relayer, 'settle', [terms]),
  });
  rows.push({
    operation: 'claim',
    gas: await send(bench, people.merchant, 'claim', [token, people.feeRecipient.address]),
  });
  await client.writeContract({ ...act, functionName: 'unBlacklist' });
}

function addWholePath(): void {
  const gasOf = (operation: string) => rows.find((row) => row.operation === operation)?.gas ?? 0n;
  rows.push({
    operation: 'whole path: authorize (DIRECT, captured at once) + settle',
    gas: gasOf('authorize (DIRECT, captured at once)') + gasOf('settle (with a fee)'),
    target: 150_000n,
    reference: '187,560',
  });
}

function table(): string {
  const number = (value: bigint | undefined) => value?.toLocaleString('en-US') ?? '';
  const lines = rows.map(({ operation, gas, target, reference }) => {
    const met = target === undefined ? '' : gas <= target ? 'met' : `missed by ${number(gas - target)}`;
    return `| ${operation} | ${number(gas)} | ${target === undefined ? '' : `≤ ${number(target)}`} | ${met} | ${reference ?? ''} |`;
  });
  return ['| operation | gas | target | | commerce-payments v1.0 |', '|---|---:|---:|---|---:|', ...lines].join('\n');
}

/** The same operations when no other payment holds the token: its balance slot is then created and cleared. */
async function measureAlone(bench: Bench): Promise<void> {
  const { operator } = bench.people;
  const hold = { captureOnAuthorize: false };
  await approve(bench, maxUint256);
  const first = await newTerms(bench, hold);
  rows.push({ operation: 'alone: authorize (DIRECT, hold)', gas: await authorizeDirect(bench, first) });
  const voided = await send(bench, operator, 'void', [first]);
  rows.push({ operation: 'alone: void', gas: voided, target: 50_000n, reference: '54,217' });
  const second = await opened(bench);
  const refund = await send(bench, operator, 'refund', [second, second.amount, second.amount]);
  rows.push({ operation: 'alone: refund (all)', gas: refund, target: 52_000n, reference: '70,408' });
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
  measureClaim,
]);
addWholePath();
await measure(0n, [measureAlone]);

const file = fileURLToPath(new URL('../../docs/gas.md', import.meta.url));
const marks = { from: '<!-- table -->', to: '<!-- end -->' };
const current = await readFile(file, 'utf8').catch(() => `${marks.from}\n${marks.to}\n`);
const start = current.indexOf(marks.from) + marks.from.length;
const next = `${current.slice(0, start)}\n${table()}\n${current.slice(current.indexOf(marks.to))}`;
process.stdout.write(`${table()}\n`);
if (process.argv.includes('--check')) {
  if (next !== current) throw new Error('docs/gas.md differs: run node contracts/scripts/gas.ts');
} else {
  await writeFile(file, next);
}
