/** The proof panel of an installation that publishes its liabilities: a snapshot of a real chain, verified by the separate program. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Prisma } from '../../prisma/client.ts';
import { issueToken } from '../../src/auth/tokens/issue-token.ts';
import { publishLiabilities } from '../../src/payments/reports/liabilities/publish-liabilities.ts';
import { newId } from '../../src/platform/identifier.ts';
import { openPayoutsGround, type PayoutsGround } from '../payments/payouts/payouts-ground.ts';
import { openRestApi } from '../setup/api/rest.ts';
import { openPage } from './setup/open-page.ts';
import { inspect } from './setup/visit-dashboard.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const program = join(import.meta.dirname, '../../examples/verify-liabilities/verify.mjs');
const api = await openRestApi({ environment: { LIABILITIES_PUBLIC: 'true' } });
let ground: PayoutsGround;
let folder = '';
const email = 'auditor@example.com';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-proof-'));
  ground = await openPayoutsGround({ finalityBlocks: 2 });
  await ground.pay({ amount: 4_000_000n });
  await ground.pay({ amount: 2_000_000n, captureOnAuthorize: false });
  await ground.observe();
  await ground.evm.mine(6);
  await ground.observe();
  const { id } = await publishLiabilities(ground, { chainId: ground.evm.chainId });
  const { merchantId } = await ground.database.app.findUniqueOrThrow({ where: { id: ground.app.id } });
  const { database } = api;
  await database.merchant.create({ data: { id: merchantId, name: 'Audited shop' } });
  await database.app.create({ data: { id: ground.app.id, merchantId, name: 'Audited shop', mode: 'TEST' } });
  const snapshot = await ground.database.liabilitySnapshot.findUniqueOrThrow({ where: { id } });
  const where = { snapshotId: id };
  await database.liabilitySnapshot.create({ data: snapshot });
  await database.liabilityTotal.createMany({ data: await ground.database.liabilityTotal.findMany({ where }) });
  const accounts = await ground.database.liabilityAccount.findMany({ where });
  await database.liabilityAccount.createMany({
    data: accounts.map((account) => ({ ...account, pieces: account.pieces as Prisma.InputJsonValue })),
  });
  await database.member.create({ data: { id: newId(), merchantId, email, role: 'OWNER' } });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The login of the member in the storage of the tab. */
async function login(): Promise<string> {
  const { id: memberId } = await api.database.member.findFirstOrThrow({ where: { email } });
  const sessionId = newId();
  const createdAt = api.world.clock.now();
  const expiresAt = new Date(createdAt.getTime() + 3_600_000);
  await api.database.memberSession.create({ data: { id: sessionId, memberId, expiresAt, createdAt } });
  const { token } = await issueToken(api.world, { subject: { audience: 'dashboard', memberId, sessionId } });
  return JSON.stringify({ token, expiresAt: Date.now() + 3_600_000, memberId, email });
}

async function verify(proof: string): Promise<{ code: number; text: string }> {
  const [snapshotFile, proofFile] = [join(folder, 'snapshot.json'), join(folder, 'proof.json')];
  await writeFile(snapshotFile, await (await fetch(`${api.url}/liabilities`)).text());
  await writeFile(proofFile, proof);
  const args = [program, '--rpc', ground.evm.rpcUrl, '--snapshot', snapshotFile, '--proof', proofFile];
  return await new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, text: `${stdout}${stderr}` });
    });
  });
}

test('an auditor sees the published snapshot, downloads the proof, and the program verifies it on chain', async () => {
  const seen = await openPage();
  const { page } = seen;
  await page.addInitScript((value) => sessionStorage.setItem('sluice.login', value), await login());
  await page.goto(`${api.url}/dashboard/reports`);
  await page.getByRole('heading', { name: 'Proof of liabilities' }).waitFor();
  const panel = page.getByRole('region', { name: 'Proof of liabilities' });
  const { blockNumber } = await api.database.liabilitySnapshot.findFirstOrThrow();
  await panel
    .getByText(new RegExp(String(blockNumber)))
    .first()
    .waitFor();
  const downloading = page.waitForEvent('download');
  await panel.getByRole('button', { name: /proof/i }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('proof-of-liabilities.json');
  const proof = await readFile((await download.path()) ?? '', 'utf8');
  expect(await verify(proof)).toMatchObject({ code: 0 });
  const changed = proof.replace(/4000000/, '4000001');
  expect(changed).not.toBe(proof);
  expect((await verify(changed)).code).not.toBe(0);
  await inspect(seen, 'reports-proof');
  const page2 = panel.getByRole('link').first();
  expect(await page2.getAttribute('href')).toBe('/proof-of-liabilities');
  await page2.click();
  await page
    .getByText(new RegExp(String(blockNumber)))
    .first()
    .waitFor();
  await inspect(seen, 'proof-of-liabilities');
});

test('the panel is shown in German', async () => {
  const seen = await openPage({ language: 'de' });
  const { page } = seen;
  await page.addInitScript((value) => sessionStorage.setItem('sluice.login', value), await login());
  await page.goto(`${api.url}/dashboard/reports`);
  const panel = page.getByRole('region', { name: 'Nachweis der Verbindlichkeiten' });
  await panel.getByRole('button').first().waitFor();
  await inspect(seen, 'reports-proof-de');
});
