/**
 * The operator's key: it signs terms and relays transactions, and cannot move other parties' money on its own. It is in a
 * setting, in a file, or at an external signer (`external-signer.ts`), and is used in the same way.
 */
import { readFileSync } from 'node:fs';
import type { Address, Hex, TransactionSerializable, TypedDataDefinition } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { ConfigError } from '../config/config-error.ts';

export type OperatorSigner = {
  address: Address;
  /** EIP-712: 65 bytes. */
  signTypedData(typed: TypedDataDefinition): Promise<Hex>;
  /** The raw transaction, ready to be sent. */
  signTransaction(transaction: TransactionSerializable): Promise<Hex>;
};

const PRIVATE_KEY = /^0x[0-9a-fA-F]{64}$/;

/** Reads the key from the setting or its file. Throws ConfigError with the setting's name if there is no key or it is invalid. */
export function openOperatorSigner(settings: {
  privateKey?: Hex | undefined;
  keyFile?: string | undefined;
  /** Name of the setting that `privateKey` came from. Defaults to OPERATOR_PRIVATE_KEY. */
  setting?: string;
}): OperatorSigner {
  const account = accountOf(settings);
  return {
    address: account.address,
    signTypedData: (typed) => account.signTypedData(typed),
    signTransaction: (transaction) => account.signTransaction(transaction),
  };
}

/**
 * Reads the sender keys from the setting or their file, in their order. Empty if there are none. Throws ConfigError with the setting's name
 * if one is invalid or listed twice.
 */
export function openSenderKeys(settings: {
  privateKeys?: readonly Hex[] | undefined;
  keysFile?: string | undefined;
}): OperatorSigner[] {
  const { privateKeys, keysFile } = settings;
  const setting = privateKeys === undefined ? 'SENDER_KEYS_FILE' : 'SENDER_PRIVATE_KEYS';
  const keys = privateKeys ?? (keysFile === undefined ? [] : readKeys(keysFile));
  const senders = keys.map((privateKey) => openOperatorSigner({ privateKey, setting }));
  const addresses = senders.map(({ address }) => address);
  const twice = addresses.find((address, index) => addresses.indexOf(address) < index);
  if (twice !== undefined) throw new ConfigError(`${setting}: has the key of ${twice} twice`);
  return senders;
}

function readKeys(path: string): Hex[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError('SENDER_KEYS_FILE: not readable', { cause });
  }
  const keys: Hex[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const key = line.trim();
    if (key === '') continue;
    if (!isPrivateKey(key)) throw new ConfigError(`SENDER_KEYS_FILE: line ${index + 1} is not 0x and 64 hex digits`);
    keys.push(key);
  }
  return keys;
}

function accountOf({
  privateKey,
  keyFile,
  setting = 'OPERATOR_PRIVATE_KEY',
}: Parameters<typeof openOperatorSigner>[0]): PrivateKeyAccount {
  const key = privateKey ?? readKeyFile(keyFile);
  try {
    return privateKeyToAccount(key);
  } catch {
    // The library's own message contains the key.
    const name = privateKey === undefined ? 'OPERATOR_KEY_FILE' : setting;
    throw new ConfigError(`${name}: zero, or above the curve's order: no key`);
  }
}

function readKeyFile(path: string | undefined): Hex {
  if (path === undefined) {
    throw new ConfigError('OPERATOR_PRIVATE_KEY, OPERATOR_KEY_FILE or OPERATOR_SIGNER_URL: one of them is needed');
  }
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new ConfigError('OPERATOR_KEY_FILE: not readable', { cause });
  }
  if (!isPrivateKey(text)) throw new ConfigError('OPERATOR_KEY_FILE: not 0x and 64 hex digits');
  return text;
}

function isPrivateKey(text: string): text is Hex {
  return PRIVATE_KEY.test(text);
}
