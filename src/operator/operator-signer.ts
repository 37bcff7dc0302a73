/**
 * The operator's key: it signs terms and relays transactions, and can move no money that is not its own. It is in a
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
