import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { checkoutFolder } from '../../../src/local/local-settings.ts';

/** A browser's program, and what its environment needs beside ours. */
export type Chromium = { executablePath: string; environment: Record<string, string> };

type Places = {
  /** Where systems put a browser. */
  installed?: readonly string[];
  /** Where the browser that comes by npm is unpacked. */
  folder?: string;
};

const systemPlaces = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const npmPackage = '@sparticuz/chromium';

/**
 * CHROMIUM_PATH, else a browser that the system has, else the one that comes by npm, which is unpacked once. Throws a
 * sentence that says how to get one.
 */
export function findChromium(places: Places = {}): Chromium {
  const given = process.env.CHROMIUM_PATH;
  const candidates = given ? [given] : (places.installed ?? systemPlaces);
  const executablePath = candidates.find((path) => existsSync(path));
  if (executablePath !== undefined) return { executablePath, environment: {} };
  const canUnpack = process.platform === 'linux' && process.arch === 'x64';
  if (!given && canUnpack) return unpackChromium(places.folder ?? join(checkoutFolder, '.local', 'chromium'));
  const where = given
    ? `CHROMIUM_PATH names ${given}, which is not there`
    : `npm brings none for ${process.platform} on ${process.arch}`;
  throw new Error(`The browser tests need Chromium, and ${where}: install it, or set CHROMIUM_PATH to its program.`);
}

/** The package's archives are unpacked beside their place and then moved, for two test files may come at once. */
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

/** The package knows only the temporary folder, and unpacks its NSS libraries only where it believes to run in Lambda. */
function unpackInto(folder: string): void {
  const program = `import chromium from '${npmPackage}'; await chromium.executablePath();`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: checkoutFolder,
    env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${npmPackage} could not be unpacked: ${stderr}`);
}

/** The package's own settings look for its font in /tmp only; without any font, text takes no room and counts as hidden. */
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
