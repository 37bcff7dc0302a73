/** Parts and commands as processes: their errors for an arbiter or a fee recipient that no payment can have. */
import { spawn } from 'node:child_process';
import { privateKeyToAddress } from 'viem/accounts';
import { expect, test } from 'vitest';
import { escrowAddress } from '../../src/escrow/escrow-bytecode.ts';
import { childEnvironment } from '../setup/child-environment.ts';

const operatorKey = `0x${'11'.repeat(32)}` as const;
const operator = privateKeyToAddress(operatorKey);
const other = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const parts = [['api'], ['worker'], ['ops', 'status']];

/** The database does not respond: a part that connects to it has accepted its settings. */
async function start(part: string[], environment: Record<string, string>): Promise<{ code: number; output: string }> {
  const main = new URL('../../src/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main, ...part], {
    env: {
      ...childEnvironment,
      DATABASE_URL: 'postgres://nobody:x@127.0.0.1:9/none',
      OPERATOR_PRIVATE_KEY: operatorKey,
      TOKEN_SECRET: 'the token secret of a test, long enough',
      LOG_LEVEL: 'silent',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += String(chunk);
  });
  const code = await new Promise<number>((resolve) => child.once('exit', (status) => resolve(status ?? -1)));
  return { code, output: output.trim() };
}

test.each(parts)(
  '%s %s rejects an arbiter that is the operator',
  async (...part) => {
    const words = `is the operator ${operator}; disputes need an arbiter of their own, or none`;
    const named = await start(part, { ARBITER_ADDRESS: operator.toLowerCase() });
    expect(named).toEqual({ code: 1, output: `ARBITER_ADDRESS: ${words}` });
    const held = await start(part, { ARBITER_PRIVATE_KEY: operatorKey, ARBITER_ADDRESS: other });
    expect(held).toEqual({ code: 1, output: `ARBITER_PRIVATE_KEY: ${words}` });
  },
  60_000,
);

test.each(parts)(
  '%s %s rejects fee recipients and an arbiter that cannot be paid, with all errors',
  async (...part) => {
    const { code, output } = await start(part, {
      FEE_RECIPIENT: escrowAddress,
      ARBITER_ADDRESS: '0x0000000000000000000000000000000000000002',
      SOLANA_FEE_RECIPIENT: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    });
    expect(code).toBe(1);
    expect(output.split('\n')).toEqual([
      expect.stringMatching(/^FEE_RECIPIENT: is the escrow contract on /),
      expect.stringMatching(/^ARBITER_ADDRESS: is reserved for precompiles/),
      expect.stringMatching(/^SOLANA_FEE_RECIPIENT: is a program/),
    ]);
  },
  60_000,
);

test('wallets are accepted, so that the command connects to the database', async () => {
  const { code, output } = await start(['ops', 'status'], { FEE_RECIPIENT: other, ARBITER_ADDRESS: other });
  expect([code, output]).toEqual([1, expect.stringContaining('The database does not respond')]);
}, 60_000);
