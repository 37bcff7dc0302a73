/** What npm would publish: the archives install into an empty folder and work there, and packaging linters find nothing. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { openRestApi } from '../setup/rest.ts';
import { onTeardown } from '../setup/teardown.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'sluice-published-'));
onTeardown(async () => rmSync(folder, { recursive: true, force: true }));
const archives = new Map<string, string>();
const npm = process.env.npm_execpath ?? 'npm';
const api = await openRestApi();

/** Kilobytes that an archive may have. It is read on every install of a merchant's server. */
const LARGEST_KB: Record<string, number> = { sdk: 70 };

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'packages/build.ts')], { stdio: 'inherit' });
  for (const name of Object.keys(LARGEST_KB)) {
    const said = runNpm(
      ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
      join(root, 'packages', name),
    );
    archives.set(name, join(folder, readArchiveName(said)));
  }
  mkdirSync(join(folder, 'shop'));
  writeFileSync(join(folder, 'shop/package.json'), '{ "name": "shop", "version": "1.0.0", "type": "module" }');
  runNpm(['install', '--offline', '--no-audit', '--no-fund', ...archives.values()], join(folder, 'shop'));
});

it.each(Object.keys(LARGEST_KB))('the archive of %s is small', (name) => {
  const kilobytes = statSync(archives.get(name) ?? '').size / 1024;
  console.log(`${name}: ${kilobytes.toFixed(1)} KB packed`);
  expect(kilobytes).toBeLessThan(LARGEST_KB[name] ?? 0);
});

it.each(Object.keys(LARGEST_KB))('publint finds nothing in %s', (name) => {
  const ended = tool('publint/src/cli.js', ['run', archives.get(name) ?? '', '--strict']);
  expect(ended.said).toContain('All good!');
  expect(ended.status).toBe(0);
});

it('are the types wrong? They are not', () => {
  const ended = tool('@arethetypeswrong/cli/dist/index.js', [
    archives.get('sdk') ?? '',
    '--profile',
    'esm-only',
    '--no-definitely-typed',
  ]);
  expect(ended.said).toContain('node16 (from ESM): 🟢 (ESM)');
  expect(ended.status).toBe(0);
});

it('depends on nothing', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8'));
  expect(dependencies).toBeUndefined();
});

const program = (baseUrl: string) => `
import { createSluice, SluiceApiError } from '@sluice/sdk';
const sluice = createSluice({ baseUrl: '${baseUrl}', apiKey: '${api.merchantA.secretKey}' });
const intent = await sluice.paymentIntents.create({ amount: '12.50' });
const seen = [];
for await (const { status } of sluice.paymentIntents.watch(intent.id)) {
  seen.push(status);
  if (status !== 'CREATED') break;
  await sluice.paymentIntents.cancel(intent.id);
}
const secret = 'whsec_' + btoa('a key of thirty-two bytes, or so');
const body = JSON.stringify({ type: 'webhook.ping' });
const headers = await sluice.webhooks.sign({ id: '1', body, secret });
const event = await sluice.webhooks.verify({ body, headers, secret });
const missing = await sluice.paymentIntents.get(event.type).catch((error) => error instanceof SluiceApiError && error.code);
console.log(JSON.stringify({ amount: intent.amount, seen, type: event.type, missing }));
`;
const expected = { amount: '12.50', seen: ['CREATED', 'CANCELLED'], type: 'webhook.ping', missing: 'VALIDATION_ERROR' };

it('works in an empty project in Node', () => {
  writeFileSync(join(folder, 'shop/main.js'), program(api.url));
  return expect(runProgram(process.execPath, ['main.js'])).resolves.toEqual(expected);
});

it('is typed in an empty project', () => {
  writeFileSync(
    join(folder, 'shop/typed.ts'),
    `import { createSluice, type PaymentIntent } from '@sluice/sdk';
const sluice = createSluice({ baseUrl: 'https://pay.example.com' });
const intent: Promise<PaymentIntent> = sluice.paymentIntents.create({ amount: '1' });
// @ts-expect-error An amount is never a number.
sluice.paymentIntents.create({ amount: 1 });
export { intent };
`,
  );
  const flags = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2023,dom',
    'typed.ts',
  ];
  const ended = spawnSync(process.execPath, [join(root, 'node_modules/typescript7/bin/tsc'), ...flags], {
    cwd: join(folder, 'shop'),
    encoding: 'utf8',
  });
  expect(ended.stdout).toBe('');
  expect(ended.status).toBe(0);
});

async function runProgram(runtime: string, args: string[]): Promise<unknown> {
  const { spawn } = await import('node:child_process');
  const child = spawn(runtime, args, { cwd: join(folder, 'shop'), stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const chunk of child.stdout) said += chunk;
  return JSON.parse(said);
}

function runNpm(args: string[], cwd: string): string {
  const [program, first] = npm.endsWith('.js') ? [process.execPath, [npm]] : [npm, []];
  return execFileSync(program, [...first, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** npm answers a list, and from its twelfth version on an object by package. */
function readArchiveName(said: string): string {
  const [packed] = Object.values<{ filename: string }>(JSON.parse(said));
  if (!packed) throw new Error(`npm packed nothing: ${said}`);
  return packed.filename;
}

function tool(file: string, args: string[]): { status: number | null; said: string } {
  const ended = spawnSync(process.execPath, [join(root, 'node_modules', file), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
  });
  return { status: ended.status, said: `${ended.stdout}${ended.stderr}` };
}
