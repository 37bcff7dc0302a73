/**
 * What a person does who logs in to the card API as docs/card.md describes: `code` prints the newest code that was mailed to ada@example.com, and
 * `sign-in` prints shell variables with the sign-in message of a demo wallet for the token in ACCESS, and its signature.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { privateKeyToAccount } from 'viem/accounts';
import { readDemo } from './examples/demo.mjs';

const LIMIT_MS = 60_000;

if (process.argv[2] === 'code') console.log(await mailedCode());
else await signIn();

async function mailedCode() {
  const until = performance.now() + LIMIT_MS;
  while (performance.now() < until) {
    const found = readdirSync('.local/logs')
      .flatMap((name) => readFileSync(`.local/logs/${name}`, 'utf8').split('\n'))
      .filter((line) => line.includes('ada@example.com'))
      .flatMap((line) => /Your login code is (\d{6})/.exec(line)?.[1] ?? [])
      .at(-1);
    if (found) return found;
    await delay(200);
  }
  throw new Error('No code was mailed.');
}

async function signIn() {
  const account = privateKeyToAccount(readDemo().payers[0].privateKey);
  const { jti } = JSON.parse(Buffer.from(process.env.ACCESS.split('.')[1], 'base64url').toString());
  const message = [
    'shop.example wants you to sign in with your Ethereum account:',
    account.address,
    '',
    'Link this wallet.',
    '',
    'URI: https://shop.example',
    'Version: 1',
    'Chain ID: 31337',
    `Nonce: ${jti.replaceAll('-', '')}`,
    `Issued At: ${new Date().toISOString()}`,
  ].join('\n');
  console.log(`ADDRESS=${account.address}`);
  console.log(`MESSAGE='${JSON.stringify(message).slice(1, -1)}'`);
  console.log(`SIGNATURE=${await account.signMessage({ message })}`);
}
