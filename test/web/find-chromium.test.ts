/** Without Chromium the browser tests fail, and say how to get it. */
import { afterEach, expect, it, vi } from 'vitest';
import { findChromium } from '../browser/setup/find-chromium.ts';
import { openPage } from '../browser/setup/open-page.ts';

afterEach(() => vi.unstubAllEnvs());

it('no Chromium where CHROMIUM_PATH says: the test that needs it fails with what to run', async () => {
  vi.stubEnv('CHROMIUM_PATH', '/none');
  const sentence =
    'CHROMIUM_PATH names /none, which is not there: run "apt-get install --no-install-recommends chromium"';
  expect(() => findChromium()).toThrow(sentence);
  await expect(openPage()).rejects.toThrow(sentence);
});

it('any program that CHROMIUM_PATH names is taken', () => {
  vi.stubEnv('CHROMIUM_PATH', process.execPath);
  expect(findChromium()).toBe(process.execPath);
});
