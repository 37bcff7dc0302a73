/** Runs every example and every sample of the documentation against one installation. */
import { describe, expect, it } from 'vitest';
import { injectEvmWallet } from '../browser/setup/inject-evm-wallet.ts';
import { openPage } from '../browser/setup/open-page.ts';
import { readBlocks, readPages } from './read-blocks.ts';
import { runPage } from './run-page.ts';
import { openWorkplace, type Program, type Workplace } from './workplace.ts';

const CLOCK_PAGE = 'docs/test-clock.md';
const START_LIMIT_MS = 400_000;
const BROWSER_LIMIT_MS = 120_000;

let workplace: Workplace;

it('an installation starts for all following samples', { timeout: START_LIMIT_MS }, async () => {
  workplace = await openWorkplace();
});

/** Fails with the whole output of the program. */
async function endsWell(program: Program): Promise<string> {
  const code = await program.ended;
  if (code !== 0) throw new Error(`It ended with ${code}:\n${program.output()}`);
  return program.output();
}

function start(file: string, variable?: string, port = ''): Program {
  return workplace.run('node', [`examples/${file}`], variable ? { [variable]: workplace.ports.get(port) ?? '' } : {});
}

async function pay(...args: string[]): Promise<{ id: string; output: string }> {
  const output = await endsWell(workplace.run('node', ['examples/headless-payment/pay.mjs', ...args]));
  return { id: /Payment intent ([\w-]+)/.exec(output)?.[1] ?? '', output };
}

describe('the examples', () => {
  it.each(['DIRECT', 'PERMIT', 'APPROVAL'])('headless-payment pays by %s', async (method) => {
    const { output } = await pay('8.00', '--method', method);
    expect(output).toContain('Pays 8000000 base units of USDC-31337');
    expect(output).toMatch(/^CAPTURED 0x[0-9a-f]{64}$/m);
  });

  it('headless-payment reports an unavailable payment method', async () => {
    const program = workplace.run('node', ['examples/headless-payment/pay.mjs', '--method', 'CASH']);
    expect(await program.ended).toBe(1);
    expect(program.output()).toContain('CASH is not offered for this payment.');
  });

  it.each([
    ['express-receiver', '3001'],
    ['hono-receiver', '3002'],
  ])('%s prints each event once, including missed events', async (name, port) => {
    const first = start(`${name}/server.mjs`, 'RECEIVER_PORT', port);
    await first.prints('The receiver listens');
    const seen = await pay();
    await first.prints(`payment_intent.captured ${seen.id}`);
    const unsigned = await fetch(`http://127.0.0.1:${workplace.ports.get(port)}/webhooks`, {
      method: 'POST',
      body: '{}',
    });
    expect(unsigned.status).toBe(400);
    await first.stop();
    const missed = await pay();
    const second = start(`${name}/server.mjs`, 'RECEIVER_PORT', port);
    await second.prints(`payment_intent.captured ${missed.id}`);
    expect(second.output()).not.toContain(`payment_intent.captured ${seen.id}`);
    const numbers = [...(first.output() + second.output()).matchAll(/^#(\d+) /gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual([...new Set(numbers)].sort((left, right) => left - right));
    await second.stop();
  });

  it('a server reports that its port is in use', async () => {
    const first = start('hono-receiver/server.mjs', 'RECEIVER_PORT', '3002');
    await first.prints('The receiver listens');
    const second = start('hono-receiver/server.mjs', 'RECEIVER_PORT', '3002');
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain('is in use. Choose another one: RECEIVER_PORT=');
    await first.stop();
  });

  it('live-payments prints a payment whenever it changes', async () => {
    const before = await pay('6.75');
    const watcher = start('live-payments/watch.mjs');
    await watcher.prints(before.id);
    const { id } = await pay('7.25');
    await watcher.prints(new RegExp(`(CAPTURED|SETTLED) +7\\.25 USD +${id}`));
    await watcher.stop();
  });

  it('node-shop sells: the payer pays in its page, and the server marks the order as paid', async () => {
    const port = workplace.ports.get('3000') ?? '';
    const shop = start('node-shop/server.mjs', 'SHOP_PORT', '3000');
    await shop.prints('The shop is at');
    const { page, axe } = await openPage();
    const rpcUrls = Object.fromEntries(workplace.demo.chains.map(({ chainId, rpcUrl }) => [chainId, rpcUrl]));
    const privateKey = workplace.demo.payers[2]?.privateKey as `0x${string}`;
    await injectEvmWallet(page, { privateKey, rpcUrls, chainId: 31337 });
    await page.goto(`http://localhost:${port}`);
    expect(await axe()).toEqual([]);
    await page.getByRole('button', { name: 'Buy green tea' }).click();
    const frame = page.frameLocator('sluice-checkout iframe');
    await frame.getByRole('heading').first().waitFor({ timeout: BROWSER_LIMIT_MS });
    await page.getByText('No wallet on the local chain?').click();
    const command = await page.locator('#command').textContent();
    await endsWell(workplace.run('bash', ['-c', command ?? '']));
    await page.getByText('Thank you! Your order is paid.').waitFor({ timeout: BROWSER_LIMIT_MS });
    await shop.prints('is PAID');
    const wrong = await fetch(`http://localhost:${port}/orders`, { method: 'POST', body: '{"product":"gold"}' });
    expect([wrong.status, await wrong.json()]).toEqual([400, { error: 'There is no such product.' }]);
    expect((await fetch(`http://localhost:${port}/orders/none`)).status).toBe(404);
    await shop.stop();
  });
});

describe('the documentation', () => {
  const pages = readPages().map((page) => ({ page, blocks: readBlocks(page) }));

  it.each(pages.filter(({ page, blocks }) => page !== CLOCK_PAGE && blocks.length > 0))(
    '$page runs',
    async ({ blocks }) => {
      await runPage(workplace, blocks);
    },
  );
});

/** Last, because they move the time of the installation. */
describe('samples that move the clock', () => {
  it('subscription-trial charges at the end of the trial', async () => {
    const program = workplace.run('node', ['examples/subscription-trial/subscribe.mjs', '--advance']);
    const output = await endsWell(program);
    expect(output).toMatch(/on trial until \d{4}-/);
    expect(output).toMatch(/Charged 15\.00 USD, invoice \S+ is PAID/);
  });

  it(`${CLOCK_PAGE} runs`, async () => {
    await runPage(workplace, readBlocks(CLOCK_PAGE));
  });
});
