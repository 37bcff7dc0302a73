/** Published liabilities on a real chain, and the separate program that verifies them: every changed field is found. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getAbiItem, toEventSelector, toFunctionSelector } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { disputeCall, settleCall } from '../../../src/escrow/calldata.ts';
import { escrowAbi } from '../../../src/escrow/escrow-abi.ts';
import { publishDueLiabilities } from '../../../src/payments/reports/liabilities/publish-due.ts';
import { publishLiabilities } from '../../../src/payments/reports/liabilities/publish-liabilities.ts';
import { readProofs } from '../../../src/payments/reports/liabilities/read-snapshots.ts';
import type { PublishedSnapshot } from '../../../src/payments/reports/liabilities/snapshot.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openPayoutsGround, type PayoutsGround } from '../payouts/payouts-ground.ts';
import { printProofs, printSnapshots } from './print-liabilities.ts';

const program = join(import.meta.dirname, '../../../examples/verify-liabilities/verify.mjs');
let ground: PayoutsGround;
let folder = '';
let snapshot: PublishedSnapshot;
let otherApp = '';
/** The files as the API prints them. */
let published: { data: Record<string, unknown>[] };
let proofs: { data: Record<string, unknown>[] };

beforeAll(async () => {
  ground = await openPayoutsGround({ finalityBlocks: 2 });
  folder = await mkdtemp(join(tmpdir(), 'sluice-liabilities-'));
  const { evm, database } = ground;
  const { escrow, merchant } = evm;
  const app = await database.app.findUniqueOrThrow({ where: { id: ground.app.id } });
  otherApp = newId();
  await database.app.create({ data: { id: otherApp, merchantId: app.merchantId, name: 'Other', mode: 'TEST' } });
  await ground.pay();
  const disputed = await ground.pay({ amount: 3_000_000n });
  await ground.send(evm.payers[0], disputeCall({ escrow, terms: disputed.signed.terms }));
  const credited = await ground.pay({ amount: 5_000_000n });
  await ground.block(merchant.address);
  await ground.passTime(110);
  await ground.send(ground.stranger, settleCall({ escrow, terms: credited.signed.terms }));
  const open = await ground.pay({ amount: 4_000_000n });
  const held = await ground.pay({ amount: 2_000_000n, captureOnAuthorize: false });
  const other = await ground.pay({ amount: 7_000_000n });
  await database.paymentIntent.update({ where: { id: other.id }, data: { appId: otherApp } });
  await ground.observe();
  await evm.mine(6);
  await ground.observe();
  snapshot = await publishLiabilities(ground, { chainId: evm.chainId });
  published = printSnapshots([snapshot]);
  proofs = printProofs(await readProofs(database, { appId: ground.app.id, snapshotId: undefined }));
  expect([open.id, held.id].length).toBe(2);
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(files: { snapshot?: unknown; proof?: unknown }, ...args: string[]) {
  const made = [`${newId()}.json`, `${newId()}.json`].map((name) => join(folder, name));
  const [snapshotFile = '', proofFile = ''] = made;
  await writeFile(snapshotFile, JSON.stringify(files.snapshot ?? published));
  await writeFile(proofFile, JSON.stringify(files.proof ?? proofs));
  const given = ['--rpc', ground.evm.rpcUrl, '--snapshot', snapshotFile, '--proof', proofFile, ...args];
  return await new Promise<{ code: number; text: string }>((resolve) => {
    execFile(process.execPath, [program, ...given], (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, text: `${stdout}${stderr}` });
    });
  });
}

test('the liabilities are those of the contract at the block', async () => {
  const usdc = snapshot.tokens.find(({ tokenKey }) => tokenKey === ground.evm.usdc.key);
  expect(usdc).toMatchObject({ disputed: 3_000_000n, undelivered: 4_950_000n, held: 2_000_000n });
  expect(usdc?.total).toBe(usdc?.escrowBalance);
  expect(snapshot.tokens.length).toBeGreaterThan(1);
  expect(snapshot.operators).toEqual([ground.evm.operator.address.toLowerCase()]);
  expect(await publishLiabilities(ground, { chainId: ground.evm.chainId }), 'of the same block').toEqual(snapshot);
});

test('each app proves its own, and the sums in its proof are not the amount of another', async () => {
  const [own] = await readProofs(ground.database, { appId: ground.app.id, snapshotId: snapshot.id });
  const [other] = await readProofs(ground.database, { appId: otherApp, snapshotId: undefined });
  expect((own?.amount ?? 0n) + (other?.amount ?? 0n)).toBe(own?.total);
  const sums = own?.pieces.flatMap(({ path }) => path.map(({ sum }) => sum));
  expect(sums).not.toContain(String(other?.amount));
  expect(JSON.stringify(printProofs(own ? [own] : []))).not.toContain(otherApp);
  expect(await readProofs(ground.database, { appId: newId(), snapshotId: undefined })).toEqual([]);
  await expect(readProofs(ground.database, { appId: otherApp, snapshotId: newId() })).rejects.toThrow('No such');
});

describe('the program', () => {
  test('verifies the snapshot, the proof, and the totals from the contract’s logs', async () => {
    const { code, text } = await run({}, '--scan-from', '0');
    expect(text).toMatch(/\nVERIFIED\n$/);
    expect(text).not.toContain('FAULT');
    expect(code).toBe(0);
  });

  test('knows the functions and events of the contract', async () => {
    const source = await readFile(program, 'utf8');
    for (const name of ['stateOf', 'creditOf', 'eip712Domain'] as const) {
      expect(source).toContain(`${name}: '${toFunctionSelector(getAbiItem({ abi: escrowAbi, name }))}'`);
    }
    for (const name of ['Authorized', 'Credited', 'Claimed'] as const) {
      expect(source).toContain(`${name}: '${toEventSelector(getAbiItem({ abi: escrowAbi, name }))}'`);
    }
    expect(source.match(/from '(?!node:)/g), 'it imports nothing but Node.js').toBeNull();
  });

  test('finds every changed field of the snapshot', async () => {
    await findsAll(published, (snapshotFile) => run({ snapshot: snapshotFile }));
  }, 120_000);

  test('finds every changed field of the proof', async () => {
    await findsAll(proofs, (proof) => run({ proof }));
  }, 120_000);

  test('finds a payment that the snapshot leaves out, whatever its hashes say', async () => {
    const stolen = await ground.pay({ amount: 1_000_000n });
    await ground.database.paymentTerms.deleteMany({ where: { termsHash: stolen.signed.id } });
    await ground.evm.mine(6);
    await ground.observe();
    const next = await publishLiabilities(ground, { chainId: ground.evm.chainId });
    expect(next.previousDigest).toBe(snapshot.digest);
    const proof = printProofs(await readProofs(ground.database, { appId: ground.app.id, snapshotId: next.id }));
    const files = { snapshot: printSnapshots([next]), proof };
    expect((await run(files)).code).toBe(0);
    const { code, text } = await run(files, '--scan-from', '0');
    expect([code, /FAULT CHAIN_TOTALS: USDC-31337: the contract has \d+ CAPTURED/.test(text)]).toEqual([1, true]);
  });

  test('reports what it cannot verify', async () => {
    expect((await run({}, '--scan-from', 'x')).code).toBe(2);
    expect((await run({ snapshot: { data: [{}] } })).code).toBe(2);
    expect((await run({}, '--rpc', 'http://127.0.0.1:9')).code).toBe(2);
  });
});

test('once a day for each chain, and kept for the days of the configuration', async () => {
  const faults: unknown[] = [];
  const options = { days: 90, onFault: (_chainId: number, error: unknown) => void faults.push(error) };
  expect(await publishDueLiabilities(ground, options)).toEqual([]);
  const tomorrow = { ...ground, clock: { now: () => new Date(ground.clock.now().getTime() + 86_400_000) } };
  await ground.evm.mine(6);
  await ground.observe();
  expect((await publishDueLiabilities(tomorrow, options)).map(({ chainId }) => chainId)).toEqual([ground.evm.chainId]);
  const muchLater = { ...ground, clock: { now: () => new Date(ground.clock.now().getTime() + 95 * 86_400_000) } };
  await publishDueLiabilities(muchLater, options);
  expect(faults).toEqual([]);
  const kept = await ground.database.liabilitySnapshot.findMany({ select: { id: true } });
  expect(kept.map(({ id }) => id)).not.toContain(snapshot.id);
  expect(await ground.database.liabilityAccount.count({ where: { snapshotId: snapshot.id } })).toBe(0);
});

test('two that are taken at the same time follow each other, and none follows one of a later block', async () => {
  const { chainId } = ground.evm;
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const asking: typeof ground.nodes.asking = async (...args) => {
    reached.resolve();
    await goOn.promise;
    return await ground.nodes.asking(...args);
  };
  await ground.evm.mine(6);
  await ground.observe();
  const slow = publishLiabilities({ ...ground, nodes: { ...ground.nodes, asking } }, { chainId });
  await reached.promise;
  await ground.evm.mine(6);
  await ground.observe();
  const later = await publishLiabilities(ground, { chainId });
  goOn.resolve();
  await expect(slow).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(later.blockNumber).toBeGreaterThan(snapshot.blockNumber);
});

/** Changes each leaf of a document in turn. */
async function findsAll(document: object, verify: (changed: unknown) => Promise<{ code: number; text: string }>) {
  const paths = leavesOf(document).filter((path) => path.length > 0);
  expect(paths.length).toBeGreaterThan(10);
  const missed: string[] = [];
  for (let start = 0; start < paths.length; start += 4) {
    const part = paths.slice(start, start + 4);
    const found = await Promise.all(part.map((path) => verify(changedAt(document, path))));
    for (const [index, { code }] of found.entries()) if (code === 0) missed.push(part[index]?.join('.') ?? '');
  }
  expect(missed).toEqual([]);
}

function leavesOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, child]) => leavesOf(child, [...path, key]));
}

function changedAt(document: object, path: readonly string[]): unknown {
  const copy = structuredClone(document);
  let parent = copy as Record<string, unknown>;
  for (const key of path.slice(0, -1)) parent = parent[key] as Record<string, unknown>;
  const last = path.at(-1) ?? '';
  parent[last] = another(parent[last]);
  return copy;
}

function another(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (value === null) return 'f'.repeat(64);
  const text = String(value);
  if (/^-?\d+$/.test(text)) return String(BigInt(text) + 1n);
  const last = text.at(-1) === '1' ? '2' : '1';
  return /^\d{4}-/.test(text)
    ? text.replace(/\d(?=\.\d{3}Z$)/, (digit) => String((Number(digit) + 1) % 10))
    : `${text.slice(0, -1)}${last}`;
}
