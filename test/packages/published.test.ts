/**
 * What npm would publish: the archives install into an empty folder and work there, and packaging linters find nothing. Those of the shop plugins are
 * compiled against their frameworks, so that shops/medusa and test/shops/vendure inspect and install them.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { openRestApi } from '../setup/api/rest.ts';
import { inspectArchive, type PackageName } from './inspect-archive.ts';
import { installPackages } from './install-packages.ts';

vi.setConfig({ testTimeout: 240_000 });

const root = join(import.meta.dirname, '../..');
const api = await openRestApi();
const { archives, shop } = await installPackages();

it.each([...archives])('the archive of %s is small, and packaging linters report no problems', (name, archive) => {
  inspectArchive(name as PackageName, archive);
});

it.each(['sdk', 'checkout'])('%s has no dependencies', (name) => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
  expect(dependencies).toBeUndefined();
});

it('the checkout can be imported on a server without React, and defines no element there', () => {
  writeFileSync(
    join(shop, 'page.js'),
    "import { SluiceCheckout } from '@sluice/checkout'; console.log(JSON.stringify(SluiceCheckout.name));",
  );
  return expect(runProgram(process.execPath, ['page.js'])).resolves.toBe('SluiceCheckout');
});

it('the paid API, its client and its tools can be imported, and require a secret key', () => {
  writeFileSync(
    join(shop, 'paid.js'),
    `import { createX402 } from '@sluice/x402';
import { createBuyer, EscrowEvmScheme } from '@sluice/x402/client';
import { paidTool } from '@sluice/x402/mcp';
import { fileStore } from '@sluice/x402/node';
let refused = '';
try { createX402({ apiUrl: 'https://pay.example.com', secretKey: 'pk_test_1' }); } catch (error) { refused = error.name; }
console.log(JSON.stringify([refused, createBuyer.name, EscrowEvmScheme.name, paidTool.name, fileStore.name]));`,
  );
  const expected = ['TypeError', 'createBuyer', 'EscrowEvmScheme', 'paidTool', 'fileStore'];
  return expect(runProgram(process.execPath, ['paid.js'])).resolves.toEqual(expected);
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
  writeFileSync(join(shop, 'main.js'), program(api.url));
  return expect(runProgram(process.execPath, ['main.js'])).resolves.toEqual(expected);
});

/** Each has a hundred megabytes, so it is no dependency, and is tested only if it is on the path. */
it.skipIf(!isOnPath('bun'))('works in an empty project in Bun', () => {
  writeFileSync(join(shop, 'main.js'), program(api.url));
  return expect(runProgram('bun', ['main.js'])).resolves.toEqual(expected);
});

it.skipIf(!isOnPath('deno'))('works in an empty project in Deno', () => {
  writeFileSync(join(shop, 'main.js'), program(api.url));
  return expect(runProgram('deno', ['run', '--allow-net', '--no-remote', 'main.js'])).resolves.toEqual(expected);
});

it('has types in an empty project', () => {
  writeFileSync(
    join(shop, 'typed.ts'),
    `import { createSluice, type PaymentIntent } from '@sluice/sdk';
const sluice = createSluice({ baseUrl: 'https://pay.example.com' });
const intent: Promise<PaymentIntent> = sluice.paymentIntents.create({ amount: '1' });
// @ts-expect-error An amount is never a number.
sluice.paymentIntents.create({ amount: 1 });
export { intent };
import '@sluice/checkout';
const element = document.createElement('sluice-checkout');
element.theme = { scheme: 'dark', radius: 'large' };
element.addEventListener('sluice:paid', ({ detail }) => detail.paymentIntentId?.length);
element.addEventListener('sluice:failed', ({ detail }) => detail.code === 'EXPIRED' && detail.isFinal);
// @ts-expect-error The tokens are a fixed set.
element.theme = { radius: '9px' };
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
    cwd: shop,
    encoding: 'utf8',
  });
  expect(ended.stdout).toBe('');
  expect(ended.status).toBe(0);
});

function isOnPath(runtime: string): boolean {
  return spawnSync(runtime, ['--version']).status === 0;
}

async function runProgram(runtime: string, args: string[]): Promise<unknown> {
  const child = spawn(runtime, args, { cwd: shop, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  return JSON.parse(output);
}
