/**
 * The transfers of a Solana transaction: what each account gained or lost, and which account paid which. They are derived from the
 * balances before and after, never from what an instruction claims.
 */
import { base58 } from '@scure/base';
import type { VersionedTransactionResponse } from '@solana/web3.js';

/** `mint` is null for SOL. `owner` is the wallet that owns a token account; for SOL it is the account itself. */
export type BalanceChange = { account: string; owner: string; mint: string | null; change: bigint };

export type SolanaTransaction = {
  chainId: number;
  signature: string;
  slot: bigint;
  blockHash: string;
  /** Unix seconds. */
  blockTime: bigint;
  /** Every account that the transaction names, including those from lookup tables. */
  accounts: string[];
  /** Changes that are not zero. */
  changes: BalanceChange[];
  /** Transfers of SOL and tokens in order, including those that other programs call. */
  transfers: { from: string; to: string }[];
};

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const TOKEN_PROGRAMS = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]);

type Place = Pick<SolanaTransaction, 'chainId' | 'signature' | 'blockHash' | 'blockTime'>;

/** Returns null for a failed transaction, which moved nothing but its fee. */
export function toSolanaTransaction(answer: VersionedTransactionResponse, place: Place): SolanaTransaction | null {
  const { meta, transaction } = answer;
  if (!meta || meta.err !== null) return null;
  const lookups = meta.loadedAddresses ? { accountKeysFromLookups: meta.loadedAddresses } : {};
  const accounts = transaction.message
    .getAccountKeys(lookups)
    .keySegments()
    .flat()
    .map((key) => key.toBase58());
  return {
    ...place,
    slot: BigInt(answer.slot),
    accounts,
    changes: [...coinChanges(accounts, meta), ...tokenChanges(accounts, meta)].filter(({ change }) => change !== 0n),
    transfers: instructionsOf(answer).flatMap((instruction) => transferOf(accounts, instruction)),
  };
}

/** The wallet that paid the account; of several, the one that lost most. Null if it cannot be determined. */
export function payerOf(transaction: SolanaTransaction, account: string): string | null {
  const sources = new Set(transaction.transfers.filter(({ to }) => to === account).map(({ from }) => from));
  const mint = transaction.changes.find((change) => change.account === account)?.mint;
  const lost = transaction.changes
    .filter((change) => change.mint === mint && change.change < 0n && change.account !== account)
    .sort((left, right) => (left.change < right.change ? -1 : 1));
  return (lost.find((change) => sources.has(change.account)) ?? lost[0])?.owner ?? null;
}

type Meta = NonNullable<VersionedTransactionResponse['meta']>;
type TokenBalances = Meta['preTokenBalances'];

function coinChanges(accounts: readonly string[], { preBalances, postBalances }: Meta): BalanceChange[] {
  return accounts.map((account, index) => ({
    account,
    owner: account,
    mint: null,
    change: BigInt(postBalances[index] ?? 0) - BigInt(preBalances[index] ?? 0),
  }));
}

function tokenChanges(accounts: readonly string[], { preTokenBalances, postTokenBalances }: Meta): BalanceChange[] {
  const found = new Map<string, BalanceChange>();
  const add = (balances: TokenBalances, sign: bigint) => {
    for (const { accountIndex, mint, owner, uiTokenAmount } of balances ?? []) {
      const account = accounts[accountIndex];
      if (account === undefined || owner === undefined) continue;
      const key = `${account}-${mint}-${owner}`;
      const known = found.get(key) ?? { account, owner, mint, change: 0n };
      found.set(key, { ...known, change: known.change + sign * BigInt(uiTokenAmount.amount) });
    }
  };
  add(preTokenBalances, -1n);
  add(postTokenBalances, 1n);
  return [...found.values()];
}

type Instruction = { programIdIndex: number; accounts: readonly number[]; data: Uint8Array };

function instructionsOf({ meta, transaction }: VersionedTransactionResponse): Instruction[] {
  const outer = transaction.message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
    programIdIndex,
    accounts: accountKeyIndexes,
    data,
  }));
  const inner = (meta?.innerInstructions ?? []).flatMap(({ instructions }) => instructions);
  return [...outer, ...inner.map((instruction) => ({ ...instruction, data: base58.decode(instruction.data) }))];
}

/** The instructions that move money: system transfer (2), token transfer (3), checked (12), with a fee (26, 1). */
function transferOf(accounts: readonly string[], instruction: Instruction): { from: string; to: string }[] {
  const { data } = instruction;
  const program = accounts[instruction.programIdIndex] ?? '';
  const named = (from: number, to: number) => {
    const source = accounts[instruction.accounts[from] ?? -1];
    const target = accounts[instruction.accounts[to] ?? -1];
    return source === undefined || target === undefined ? [] : [{ from: source, to: target }];
  };
  if (program === SYSTEM_PROGRAM) return data[0] === 2 ? named(0, 1) : [];
  if (!TOKEN_PROGRAMS.has(program)) return [];
  if (data[0] === 3) return named(0, 1);
  return data[0] === 12 || (data[0] === 26 && data[1] === 1) ? named(0, 2) : [];
}
