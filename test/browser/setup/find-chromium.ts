import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { checkoutFolder } from '../../../src/local/local-settings.ts';

/** The browser's executable, and the environment variables that it needs in addition to ours. */
export type Chromium = { executablePath: string; environment: Record<string, string> };

type Places = {
  /** Paths at which operating systems install a browser. */
  installed?: readonly string[];
  /** The folder into which the browser from npm is unpacked. */
  folder?: string;
};

const systemPlaces = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const npmPackage = '@sparticuz/chromium';

/**
 * CHROMIUM_PATH, or else a browser installed on the system, or else the browser from npm, which is unpacked once. If there is none, throws
 * an error that explains how to install one.
 */
export function findChromium(places: Places = {}): Chromium {
  const given = process.env.CHROMIUM_PATH;
  const candidates = given ? [given] : (places.installed ?? systemPlaces);
  const executablePath = candidates.find((path) => existsSync(path));
  if (executablePath !== undefined) return { executablePath, environment: {} };
  const canUnpack = process.platform === 'linux' && process.arch === 'x64';
  if (!given && canUnpack) return unpackChromium(places.folder ?? join(checkoutFolder, '.local', 'chromium'));
  const where = given
    ? `CHROMIUM_PATH is ${given}, which does not exist`
    : `npm provides none for ${process.platform} on ${process.arch}`;
  throw new Error(`The browser tests need Chromium, and ${where}. Install it, or set CHROMIUM_PATH to its executable.`);
}

/** Unpacks the package's archives into a temporary folder and then moves it, because two test files may do so at the same time. */
function unpackChromium(parent: string): Chromium {
  const folder = join(parent, versionOfPackage());
  const executablePath = join(folder, 'chromium');
  if (!existsSync(executablePath)) {
    mkdirSync(parent, { recursive: true });
    const staging = mkdtempSync(join(parent, 'unpacking-'));
    try {
      unpackInto(staging);
      writeFileSync(join(staging, 'fonts.conf'), fontSettings(folder));
      renameSync(staging, folder);
    } catch (error) {
      if (!existsSync(executablePath)) throw error;
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
  }
  const environment = {
    LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    FONTCONFIG_FILE: join(folder, 'fonts.conf'),
  };
  return { executablePath, environment };
}

/** The package always unpacks into the temporary folder, and unpacks its NSS libraries only if it detects AWS Lambda. */
function unpackInto(folder: string): void {
  const program = `import chromium from '${npmPackage}'; await chromium.executablePath();`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: checkoutFolder,
    env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${npmPackage} could not be unpacked: ${stderr}`);
}

/** The package's own settings look for its font in /tmp only. Without a font, text has no size and counts as hidden. */
function fontSettings(folder: string): string {
  const folders = [join(folder, 'fonts', 'fonts'), '/usr/share/fonts'].map((path) => `<dir>${path}</dir>`).join('');
  const cache = `<cachedir>${join(folder, 'fonts-cache')}</cachedir>`;
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${folders}${cache}</fontconfig>\n`;
}

function versionOfPackage(): string {
  const build = dirname(fileURLToPath(import.meta.resolve(npmPackage)));
  const manifest = readFileSync(join(build, '..', 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
}
