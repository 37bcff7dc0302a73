/** A landed transaction in the format of RPC responses. */
import { base58 } from '@scure/base';
import type { VersionedMessage } from '@solana/web3.js';
import { type LandedTransaction, readTransaction, type TokenBalance } from './landed-transaction.ts';
import { printTokenAmount } from './print-account.ts';
import { type PlainInstruction, printMemos, printParsedInstruction } from './print-instruction.ts';
import { RpcError } from './rpc-error.ts';

export type TransactionEncoding = 'json' | 'jsonParsed' | 'base64' | 'base58';
export type PrintTransactionOptions = {
  encoding: TransactionEncoding;
  /** Undefined means that the client accepts only legacy transactions. */
  maxSupportedTransactionVersion?: number | undefined;
};

/** The format of `getTransaction`, and of blocks, without `slot` and `blockTime`. */
export function printTransaction(landed: LandedTransaction, options: PrintTransactionOptions) {
  const raw = Buffer.from(landed.raw, 'base64');
  const { signatures, message, keys } = readTransaction(raw);
  const withVersion = options.maxSupportedTransactionVersion !== undefined;
  if (message.version !== 'legacy' && !withVersion) {
    throw new RpcError(
      -32015,
      `Transaction version (${message.version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${message.version}`,
    );
  }
  const { encoding } = options;
  const isEncoded = encoding === 'base64' || encoding === 'base58';
  const bytes = encoding === 'base58' ? base58.encode(raw) : landed.raw;
  return {
    ...(withVersion ? { version: message.version } : {}),
    meta: printMeta(landed, keys, encoding),
    transaction: isEncoded
      ? [bytes, encoding]
      : {
          signatures: signatures.map((signature) => base58.encode(signature)),
          message: encoding === 'jsonParsed' ? parsedMessage(message, keys) : plainMessage(message, keys),
        },
  };
}

/** Returns its memos in the format of `getSignaturesForAddress`. */
export function memoOf(landed: LandedTransaction): string | null {
  const { message, keys } = readTransaction(Buffer.from(landed.raw, 'base64'));
  return printMemos(outerInstructions(message, keys));
}

function printMeta(landed: LandedTransaction, keys: string[], encoding: TransactionEncoding) {
  const { err } = landed;
  return {
    err,
    status: err === null ? { Ok: null } : { Err: err },
    fee: BigInt(landed.fee),
    preBalances: landed.preBalances.map(BigInt),
    postBalances: landed.postBalances.map(BigInt),
    preTokenBalances: landed.preTokens.map(printTokenBalance),
    postTokenBalances: landed.postTokens.map(printTokenBalance),
    logMessages: landed.logs,
    innerInstructions: landed.inner.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map(({ programIdIndex, accounts, data: text, stackHeight }) => {
        const data = Buffer.from(text, 'base64');
        if (encoding !== 'jsonParsed') return { programIdIndex, accounts, data: base58.encode(data), stackHeight };
        return printParsedInstruction({ ...named({ programIdIndex, accounts }, keys), data, stackHeight });
      }),
    })),
    rewards: [],
    loadedAddresses: { writable: [], readonly: [] },
    computeUnitsConsumed: BigInt(landed.computeUnits),
  };
}

function printTokenBalance({ accountIndex, mint, owner, programId, amount, decimals }: TokenBalance) {
  return { accountIndex, mint, owner, programId, uiTokenAmount: printTokenAmount(BigInt(amount), decimals) };
}

function plainMessage(message: VersionedMessage, keys: string[]) {
  return {
    header: message.header,
    accountKeys: keys,
    recentBlockhash: message.recentBlockhash,
    instructions: message.compiledInstructions.map((instruction) => ({
      programIdIndex: instruction.programIdIndex,
      accounts: instruction.accountKeyIndexes,
      data: base58.encode(instruction.data),
      stackHeight: null,
    })),
    ...(message.version === 'legacy' ? {} : { addressTableLookups: [] }),
  };
}

function parsedMessage(message: VersionedMessage, keys: string[]) {
  return {
    accountKeys: keys.map((pubkey, index) => ({
      pubkey,
      signer: message.isAccountSigner(index),
      writable: message.isAccountWritable(index),
      source: 'transaction',
    })),
    recentBlockhash: message.recentBlockhash,
    instructions: outerInstructions(message, keys).map(printParsedInstruction),
    ...(message.version === 'legacy' ? {} : { addressTableLookups: [] }),
  };
}

function outerInstructions(message: VersionedMessage, keys: string[]): PlainInstruction[] {
  return message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
    ...named({ programIdIndex, accounts: accountKeyIndexes }, keys),
    data,
    stackHeight: null,
  }));
}

function named({ programIdIndex, accounts }: { programIdIndex: number; accounts: number[] }, keys: string[]) {
  const keyAt = (index: number) => keys[index] ?? '';
  return { programId: keyAt(programIdIndex), accounts: accounts.map(keyAt) };
}
