/** Pages in a real browser: one browser a test file, and for every page a context of its own. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { checkoutFolder } from '../../../src/local/local-settings.ts';
import { onTeardown } from '../../setup/teardown.ts';
import { type AccessibilityFault, findAccessibilityFaults } from './find-accessibility-faults.ts';
import { findChromium } from './find-chromium.ts';

export type PageOptions = {
  scheme?: 'light' | 'dark';
  /** CSS pixels; 1280 when left out. */
  width?: number;
  language?: 'en' | 'de';
  /** A phone: touch instead of a mouse, and 360 pixels wide. */
  isPhone?: boolean;
  /** Errors that the browser may print: a network failure that the test makes, say. Faults of the page itself never. */
  expected?: RegExp[];
};

export type OpenPage = {
  page: Page;
  context: BrowserContext;
  /** What the page did wrong so far: errors thrown, errors printed, and what the content security policy refused. */
  faults: string[];
  /** Saves what is seen now as `<name>-<width>-<scheme>.png`, with the width and scheme of the page unless `at` names others. */
  picture(name: string, at?: { width: number; scheme: 'light' | 'dark' }): Promise<void>;
  /** The same in light and dark, 360 and 1280 pixels wide; the page is as before afterwards. */
  pictures(name: string): Promise<void>;
  /** What axe finds on what is seen now, of every impact. */
  axe(): Promise<AccessibilityFault[]>;
};

/** Pictures are for eyes, not for git. */
export const pictureFolder = process.env.TEST_PICTURES ?? join(checkoutFolder, '.local', 'pictures');
const PATIENCE_MS = 60_000;
const HEIGHT = 900;

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Only a relay of the tests answers in WalletConnect's place.
  '--host-resolver-rules=MAP *.walletconnect.org ~NOTFOUND, MAP *.walletconnect.com ~NOTFOUND',
];

let running: Promise<Browser> | undefined;

function openBrowser(): Promise<Browser> {
  if (running) return running;
  const { executablePath, environment } = findChromium();
  const env = { ...process.env, ...environment };
  running = chromium
    .launch({ executablePath, env, headless: true, args: flags, timeout: PATIENCE_MS })
    .then((browser) => {
      onTeardown(() => browser.close());
      return browser;
    });
  return running;
}

/**
 * A blank page whose waits are patient. When the test ends its context is closed, and the test fails if the page threw,
 * printed an error that was not expected, or met the content security policy.
 */
export async function openPage(options: PageOptions = {}): Promise<OpenPage> {
  const { scheme = 'light', isPhone = false, language = 'en', expected = [] } = options;
  const { width = isPhone ? 360 : 1280 } = options;
  const browser = await openBrowser();
  const context = await browser.newContext({
    viewport: { width, height: HEIGHT },
    colorScheme: scheme,
    locale: language,
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    ...(isPhone ? { hasTouch: true, isMobile: true } : {}),
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults = collectFaults(page, expected);
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await shoot(page, `failed ${task.name}`).catch(() => undefined);
    await context.close();
    expect(faults, 'what the page did wrong').toEqual([]);
  });
  await reportRefusals(page, faults);
  const picture = (name: string, at = { width, scheme }) => shoot(page, `${name}-${at.width}-${at.scheme}`);
  return {
    page,
    context,
    faults,
    picture,
    async pictures(name) {
      for (const seen of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: seen });
        for (const wide of [360, 1280]) {
          await page.setViewportSize({ width: wide, height: HEIGHT });
          await picture(name, { width: wide, scheme: seen });
        }
      }
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: HEIGHT });
    },
    axe: () => findAccessibilityFaults(page),
  };
}

/** With what an expected network failure prints left out. */
function collectFaults(page: Page, expected: RegExp[]): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const text = `printed: ${message.text()} (${message.location().url})`;
    if (!expected.some((one) => one.test(text))) faults.push(text);
  });
  return faults;
}

async function reportRefusals(page: Page, faults: string[]): Promise<void> {
  await page.exposeBinding('reportRefusal', (_source, refusal: string) => void faults.push(`refused: ${refusal}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const report: unknown = Reflect.get(window, 'reportRefusal');
      if (typeof report === 'function') report(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
}

async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(pictureFolder, { recursive: true });
  const file = `${name.replaceAll(/[^\w.-]+/g, '-')}.png`;
  await page.screenshot({ path: join(pictureFolder, file), fullPage: true, animations: 'disabled' });
}
