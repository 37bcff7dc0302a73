/** The operator's key, read from a setting or from a file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseTransaction, recoverTransactionAddress, recoverTypedDataAddress } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { requireSendersApart } from '../../src/main/require-parties.ts';
import { openOperatorSigner, openSenderKeys } from '../../src/operator/operator-signer.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-operator-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const privateKey = generatePrivateKey();
const { address } = privateKeyToAccount(privateKey);

/** The settings as the environment has them. */
const settings = (environment: Record<string, string>) =>
  parseConfig({ DATABASE_URL: 'postgres://localhost/none', ...environment }).operator;

function fileOf(contents: string): string {
  const path = join(folder, crypto.randomUUID());
  writeFileSync(path, contents, { mode: 0o600 });
  return path;
}

const open = (contents: string) => openOperatorSigner(settings({ OPERATOR_KEY_FILE: fileOf(contents) }));

function faultOf(work: () => unknown): ConfigError {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('Nothing was refused.');
}

describe('the key in OPERATOR_KEY_FILE', () => {
  it('signs terms and transactions, with or without a trailing newline', async () => {
    const typed = {
      domain: { name: 'Sluice', version: '2', chainId: 31337 },
      types: { Note: [{ name: 'text', type: 'string' }] },
      primaryType: 'Note',
      message: { text: 'signed by a file' },
    } as const;
    for (const contents of [privateKey, `${privateKey}\n`, `  ${privateKey}\r\n`]) {
      const signer = open(contents);
      expect(signer.address).toBe(address);
      const signature = await signer.signTypedData(typed);
      expect(await recoverTypedDataAddress({ ...typed, signature })).toBe(address);
    }
    const raw = await open(privateKey).signTransaction({ type: 'eip1559', chainId: 31337, to: address, nonce: 7 });
    if (!raw.startsWith('0x02')) throw new Error('No transaction of EIP-1559.');
    expect(parseTransaction(raw)).toMatchObject({ chainId: 31337, nonce: 7 });
    expect(await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })).toBe(address);
  });

  it('is rejected with the name of the setting if the file is missing', () => {
    const path = join(folder, 'missing');
    const fault = faultOf(() => openOperatorSigner(settings({ OPERATOR_KEY_FILE: path })));
    expect(fault.message).toBe('OPERATOR_KEY_FILE: not readable');
    expect(faultOf(() => openOperatorSigner(settings({ OPERATOR_KEY_FILE: folder }))).message).toBe(fault.message);
  });

  it('is rejected if it is invalid, without printing the content of the file', () => {
    const digits = privateKey.slice(2);
    for (const contents of ['', digits, `0x${digits.slice(2)}`, `0x${digits}00`, `0x${'g'.repeat(64)}`]) {
      const fault = faultOf(() => open(contents));
      expect(fault.message).toBe('OPERATOR_KEY_FILE: not 0x and 64 hex digits');
    }
    // Hex digits, but no key of the curve.
    for (const digit of ['0', 'f']) {
      const none = `0x${digit.repeat(64)}`;
      const message = "zero, or above the curve's order: no key";
      expect(faultOf(() => open(none)).message).toBe(`OPERATOR_KEY_FILE: ${message}`);
      const given = settings({ OPERATOR_PRIVATE_KEY: none });
      expect(faultOf(() => openOperatorSigner(given)).message).toBe(`OPERATOR_PRIVATE_KEY: ${message}`);
      const other = { privateKey: given.privateKey, setting: 'ARBITER_PRIVATE_KEY' };
      expect(faultOf(() => openOperatorSigner(other)).message).toBe(`ARBITER_PRIVATE_KEY: ${message}`);
    }
  });

  it('is overridden by OPERATOR_PRIVATE_KEY, and one of the two is required', () => {
    const both = { OPERATOR_PRIVATE_KEY: privateKey, OPERATOR_KEY_FILE: fileOf(generatePrivateKey()) };
    expect(openOperatorSigner(settings(both)).address).toBe(address);
    expect(faultOf(() => openOperatorSigner(settings({}))).message).toMatch(/OPERATOR_KEY_FILE/);
  });
});

describe('sender keys', () => {
  const others = [generatePrivateKey(), generatePrivateKey()] as const;
  const addresses = others.map((key) => privateKeyToAccount(key).address);
  const sendersOf = (environment: Record<string, string>) =>
    openSenderKeys(parseConfig({ DATABASE_URL: 'postgres://localhost/none', ...environment }).senders).map(
      (sender) => sender.address,
    );

  it('are read from the setting or from the lines of a file, and are optional', () => {
    expect(sendersOf({ SENDER_PRIVATE_KEYS: others.join(', ') })).toEqual(addresses);
    expect(sendersOf({ SENDER_KEYS_FILE: fileOf(`${others.join('\r\n')}\n\n`) })).toEqual(addresses);
    expect(sendersOf({})).toEqual([]);
  });

  it('are rejected, without being printed, if one is invalid or listed twice', () => {
    const twice = faultOf(() => sendersOf({ SENDER_PRIVATE_KEYS: [others[0], others[0]].join() }));
    expect(twice.message).toBe(`SENDER_PRIVATE_KEYS: has the key of ${addresses[0]} twice`);
    const short = faultOf(() => sendersOf({ SENDER_PRIVATE_KEYS: `${others[0]},${others[1].slice(0, -1)}` }));
    expect(short.message).toContain('SENDER_PRIVATE_KEYS');
    const line = faultOf(() => sendersOf({ SENDER_KEYS_FILE: fileOf(`${others[0]}\nnothing\n`) }));
    expect(line.message).toBe('SENDER_KEYS_FILE: line 2 is not 0x and 64 hex digits');
    const zero = faultOf(() => sendersOf({ SENDER_KEYS_FILE: fileOf(`0x${'0'.repeat(64)}\n`) }));
    const absent = faultOf(() => sendersOf({ SENDER_KEYS_FILE: join(folder, 'none') }));
    expect(absent.message).toBe('SENDER_KEYS_FILE: not readable');
    for (const { message } of [twice, short, line, zero]) expect(message).not.toContain(others[0].slice(2));
    expect(zero.message).toContain('SENDER_KEYS_FILE');
  });

  it('are rejected if one is the key of the operator or of the arbiter', () => {
    const signers = {
      operator: openOperatorSigner({ privateKey }),
      arbiter: openOperatorSigner({ privateKey: others[0] }),
    };
    for (const [key, role] of [
      [privateKey, 'operator'],
      [others[0], 'arbiter'],
    ] as const) {
      const senders = openSenderKeys({ privateKeys: [others[1], key] });
      const { message } = faultOf(() => requireSendersApart({ ...signers, senders }));
      expect(message).toBe(
        `SENDER_PRIVATE_KEYS: has the key of the ${role} ${privateKeyToAccount(key).address}; sender keys are keys of their own`,
      );
    }
    requireSendersApart({ ...signers, senders: openSenderKeys({ privateKeys: [others[1]] }) });
  });
});
