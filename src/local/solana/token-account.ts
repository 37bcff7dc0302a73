/** Token accounts and mints, parsed from their bytes. Both token programs use the same layout for the base part. */
import { base58 } from '@scure/base';
import type { SvmAccount } from './svm.ts';

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

export type TokenAccount = {
  program: string;
  mint: string;
  owner: string;
  /** Base units. */
  amount: bigint;
  state: 'initialized' | 'frozen';
  isNative: boolean;
  delegate: string | null;
  closeAuthority: string | null;
};

export type Mint = {
  program: string;
  decimals: number;
  supply: bigint;
  mintAuthority: string | null;
  freezeAuthority: string | null;
};

const ACCOUNT_BYTES = 165;
const MINT_BYTES = 82;
/** In Token-2022, a byte after the longest base layout distinguishes accounts from mints. */
const KIND_AT = 165;
const KINDS = { mint: 1, account: 2 };

export function isTokenProgram(program: string): boolean {
  return program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;
}

/** Returns null for anything other than an initialized token account. */
export function readTokenAccount(account: SvmAccount | null): TokenAccount | null {
  if (!account || !isTokenProgram(account.owner) || account.data.length < ACCOUNT_BYTES) return null;
  const { data } = account;
  if (data.length > ACCOUNT_BYTES && data[KIND_AT] !== KINDS.account) return null;
  const state = data[108];
  if (state !== 1 && state !== 2) return null;
  return {
    program: account.owner,
    mint: key(data, 0),
    owner: key(data, 32),
    amount: view(data).getBigUint64(64, true),
    state: state === 1 ? 'initialized' : 'frozen',
    isNative: view(data).getUint32(109, true) === 1,
    delegate: optionalKey(data, 72),
    closeAuthority: optionalKey(data, 129),
  };
}

/** Returns null for anything other than an initialized mint. */
export function readMint(account: SvmAccount | null): Mint | null {
  if (!account || !isTokenProgram(account.owner)) return null;
  const { data } = account;
  const isMint = data.length === MINT_BYTES || (data.length > KIND_AT && data[KIND_AT] === KINDS.mint);
  if (!isMint || data[45] !== 1) return null;
  return {
    program: account.owner,
    decimals: data[44] ?? 0,
    supply: view(data).getBigUint64(36, true),
    mintAuthority: optionalKey(data, 0),
    freezeAuthority: optionalKey(data, 46),
  };
}

function view(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

function key(data: Uint8Array, at: number): string {
  return base58.encode(data.subarray(at, at + 32));
}

function optionalKey(data: Uint8Array, at: number): string | null {
  return view(data).getUint32(at, true) === 1 ? key(data, at + 4) : null;
}
