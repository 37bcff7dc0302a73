import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { createSluice } from '@sluice/sdk';
import { type Command, text, UsageError } from '../command.ts';
import { storeCredentials } from '../credentials.ts';

export const login: Command = {
  usage: '--url https://pay.example.com | --demo .local/demo.json',
  summary: 'Stores the key of an app for the other commands. Reads the key from the terminal or from standard input.',
  options: { url: { type: 'string' }, demo: { type: 'string' } },
  async run(given) {
    const demo = text(given, 'demo');
    const { restUrl, secretKey } = demo === undefined ? {} : readDemo(demo);
    const baseUrl = restUrl ?? text(given, 'url');
    if (baseUrl === undefined) throw new UsageError('Give the address of the installation with --url.');
    const apiKey = secretKey ?? (await askForKey(given.signal));
    if (!/^sk_(test|live)_/.test(apiKey)) throw new UsageError('A secret key begins with sk_test_ or sk_live_.');
    await createSluice({ baseUrl, apiKey }).paymentIntents.list({ pageSize: 1 }, { signal: given.signal });
    const path = storeCredentials({ baseUrl, apiKey });
    const mode = apiKey.startsWith('sk_live_') ? 'LIVE' : 'TEST';
    if (given.isJson) console.log(JSON.stringify({ baseUrl, mode, path }));
    else console.log(`Logged in to ${baseUrl} with a key of a ${mode} app. It is stored in ${path}, for you only.`);
  },
};

function readDemo(path: string): { restUrl: string; secretKey: string } {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Reads the key from a hidden prompt or from standard input, because an argument would remain in the shell's history. */
async function askForKey(signal: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY) {
    let piped = '';
    for await (const chunk of process.stdin) piped += chunk;
    return piped.trim();
  }
  process.stderr.write('Secret key (not shown): ');
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: unseen, terminal: true });
  const key = await terminal.question('', { signal });
  terminal.close();
  process.stderr.write('\n');
  return key.trim();
}
