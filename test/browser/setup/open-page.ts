/** Pages in a real browser: one browser per test file, and a separate context for every page. */
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
  /** CSS pixels. Defaults to 1280. */
  width?: number;
  language?: 'en' | 'de';
  /** Defaults to UTC. */
  timeZone?: string;
  /** Emulates a phone: touch instead of a mouse, and a width of 360 pixels. */
  isPhone?: boolean;
  /** Errors that the browser may print, such as a network failure that the test causes. Errors of the page itself are never expected. */
  expected?: RegExp[];
};

export type OpenPage = {
  page: Page;
  context: BrowserContext;
  /** The page's faults so far: errors thrown, errors printed, and violations of the content security policy. */
  faults: string[];
  /** Saves a screenshot as `<name>-<width>-<scheme>.png`. The width and scheme are those of the page unless `at` names others. */
  picture(name: string, at?: { width: number; scheme: 'light' | 'dark' }): Promise<void>;
  /** Saves screenshots in light and dark, at widths of 360 and 1280 pixels. Restores the page afterwards. */
  pictures(name: string): Promise<void>;
  /** The violations that axe finds on the page in its current state, at every impact level. */
  axe(): Promise<AccessibilityFault[]>;
};

/** Screenshots are for people to look at, and are not committed. Without TEST_PICTURES, only those of failed tests are taken. */
export const pictureFolder = process.env.TEST_PICTURES ?? join(checkoutFolder, '.local', 'pictures');
const arePicturesTaken = process.env.TEST_PICTURES !== undefined;
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
  // Only a test's own relay may answer instead of WalletConnect.
  '--host-resolver-rules=MAP *.walletconnect.org ~NOTFOUND, MAP *.walletconnect.com ~NOTFOUND',
];

let running: Promise<Browser> | undefined;

function openBrowser(): Promise<Browser> {
  if (running) return running;
  const { executablePath, environment } = findChromium();
  const env = { ...process.env, ...environment };
  running = chromium.launch({ executablePath, env, headless: true, args: flags, timeout: PATIENCE_MS }).then(
    (browser) => {
      onTeardown(async () => {
        running = undefined;
        await browser.close();
      });
      return browser;
    },
    (error: unknown) => {
      running = undefined;
      throw error;
    },
  );
  return running;
}

/**
 * A blank page with long timeouts. When the test ends, the page's context is closed, and the test fails if the page threw an error,
 * printed an unexpected error, or violated the content security policy.
 */
export async function openPage(options: PageOptions = {}): Promise<OpenPage> {
  const { scheme = 'light', isPhone = false, language = 'en', timeZone = 'UTC', expected = [] } = options;
  const { width = isPhone ? 360 : 1280 } = options;
  const browser = await openBrowser();
  const context = await browser.newContext({
    viewport: { width, height: HEIGHT },
    colorScheme: scheme,
    locale: language,
    timezoneId: timeZone,
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
  const picture = async (name: string, at = { width, scheme }) => {
    if (arePicturesTaken) await shoot(page, `${name}-${at.width}-${at.scheme}`);
  };
  return {
    page,
    context,
    faults,
    picture,
    async pictures(name) {
      if (!arePicturesTaken) return;
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

/** Ignores what an expected network failure prints. */
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
