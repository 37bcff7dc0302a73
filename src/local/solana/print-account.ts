/** Accounts and amounts in the format of RPC responses. */
import { base58 } from '@scure/base';
import type { SvmAccount } from './svm.ts';
import { type Mint, readMint, readTokenAccount, TOKEN_2022_PROGRAM, type TokenAccount } from './token-account.ts';

export type AccountEncoding = 'base58' | 'base64' | 'jsonParsed';
export type DataSlice = { offset: number; length: number };

/** Accounts on this chain never pay rent. */
const RENT_EXEMPT_EPOCH = 18_446_744_073_709_551_615n;

export function printAccount(
  account: SvmAccount,
  options: { encoding: AccountEncoding; dataSlice?: DataSlice | undefined; decimalsOf: (mint: string) => number },
) {
  const { encoding, dataSlice } = options;
  const parsed = encoding === 'jsonParsed' ? parseData(account, options.decimalsOf) : null;
  const bytes = dataSlice ? account.data.subarray(dataSlice.offset, dataSlice.offset + dataSlice.length) : account.data;
  const data =
    encoding === 'base58' ? [base58.encode(bytes), 'base58'] : [Buffer.from(bytes).toString('base64'), 'base64'];
  return {
    lamports: account.lamports,
    owner: account.owner,
    executable: account.executable,
    rentEpoch: RENT_EXEMPT_EPOCH,
    space: account.data.length,
    data: parsed ?? data,
  };
}

function parseData(account: SvmAccount, decimalsOf: (mint: string) => number) {
  const held = readTokenAccount(account);
  const mint = held ? null : readMint(account);
  const parsed = held
    ? { type: 'account', info: printTokenAccount(held, decimalsOf(held.mint)) }
    : mint && { type: 'mint', info: printMint(mint) };
  if (!parsed) return null;
  const program = account.owner === TOKEN_2022_PROGRAM ? 'spl-token-2022' : 'spl-token';
  return { program, space: account.data.length, parsed };
}

function printTokenAccount(held: TokenAccount, decimals: number) {
  return {
    mint: held.mint,
    owner: held.owner,
    state: held.state,
    isNative: held.isNative,
    tokenAmount: printTokenAmount(held.amount, decimals),
    ...(held.delegate === null ? {} : { delegate: held.delegate }),
    ...(held.closeAuthority === null ? {} : { closeAuthority: held.closeAuthority }),
  };
}

function printMint(mint: Mint) {
  const { decimals, mintAuthority, freezeAuthority } = mint;
  return { decimals, supply: String(mint.supply), isInitialized: true, mintAuthority, freezeAuthority };
}

/** `uiAmount`, a float, is deprecated, and null here so that no client calculates with it. */
export function printTokenAmount(amount: bigint, decimals: number) {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const uiAmountString = fraction === '' ? whole : `${whole}.${fraction}`;
  return { amount: amount.toString(), decimals, uiAmount: null, uiAmountString };
}
