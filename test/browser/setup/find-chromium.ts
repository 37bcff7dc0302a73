import { existsSync } from 'node:fs';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser's program: CHROMIUM_PATH, else where systems put it. Throws a sentence that says how to get one. */
export function findChromium(): string {
  const given = process.env.CHROMIUM_PATH;
  const found = (given ? [given] : places).find((path) => existsSync(path));
  if (found !== undefined) return found;
  const where = given ? `CHROMIUM_PATH names ${given}, which is not there` : 'no Chromium was found';
  throw new Error(
    `The browser tests need Chromium, and ${where}: run "apt-get install --no-install-recommends chromium", or set CHROMIUM_PATH.`,
  );
}
