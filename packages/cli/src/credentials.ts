/** The credentials of the commands: those that `login` stored, or those in the environment, which take precedence. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createSluice, type Sluice } from '@sluice/sdk';
import { UsageError } from './command.ts';

export type Credentials = { baseUrl: string; apiKey: string };

function folder(): string {
  return join(process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'sluice');
}

/** Writes or replaces a file that only its owner can read. */
export function writePrivate(name: string, text: string): string {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  const path = join(folder(), name);
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  chmodSync(`${path}.new`, 0o600);
  renameSync(`${path}.new`, path);
  return path;
}

export function readPrivate(name: string): string | undefined {
  try {
    return readFileSync(join(folder(), name), 'utf8');
  } catch {
    return undefined;
  }
}

export function storeCredentials(credentials: Credentials): string {
  return writePrivate('credentials.json', `${JSON.stringify(credentials, null, 2)}\n`);
}

export function readCredentials(): Credentials {
  const stored: Partial<Credentials> = JSON.parse(readPrivate('credentials.json') ?? '{}');
  const baseUrl = process.env.SLUICE_URL ?? stored.baseUrl;
  const apiKey = process.env.SLUICE_API_KEY ?? stored.apiKey;
  if (!baseUrl || !apiKey) {
    throw new UsageError('You are not logged in. Run "sluice login", or set SLUICE_URL and SLUICE_API_KEY.');
  }
  return { baseUrl, apiKey };
}

export function openSluice(): Sluice {
  return createSluice(readCredentials());
}

/** Called by commands that create payments or forward events. */
export function requireTestKey({ apiKey }: Credentials, command: string): void {
  if (!apiKey.startsWith('sk_test_'))
    throw new UsageError(`"sluice ${command}" works with a test app's secret key only.`);
}
