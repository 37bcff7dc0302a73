/** Instructions in the format of `jsonParsed`. Other kinds stay unparsed: program, accounts and data. */
import { base58 } from '@scure/base';
import { printTokenAmount } from './print-account.ts';
import { isTokenProgram, TOKEN_2022_PROGRAM } from './token-account.ts';

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const MEMO_PROGRAMS = ['MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'];
const ASSOCIATED_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';

export type PlainInstruction = { programId: string; accounts: string[]; data: Uint8Array; stackHeight: number | null };

type Parsed = { program: string; parsed: string | { type: string; info: Record<string, unknown> } };

export function printParsedInstruction(instruction: PlainInstruction) {
  const { programId, accounts, data, stackHeight } = instruction;
  const parsed = parse(instruction);
  if (parsed) return { ...parsed, programId, stackHeight };
  return { programId, accounts, data: base58.encode(data), stackHeight };
}

/** Returns a transaction's memos in the format of signature lists, or null if there are none. */
export function printMemos(instructions: PlainInstruction[]): string | null {
  const memos = instructions.filter(({ programId }) => MEMO_PROGRAMS.includes(programId));
  return memos.map(({ data }) => `[${data.length}] ${Buffer.from(data).toString()}`).join('; ') || null;
}

function parse({ programId, accounts, data }: PlainInstruction): Parsed | null {
  const bytes = Buffer.from(data);
  if (MEMO_PROGRAMS.includes(programId)) return { program: 'spl-memo', parsed: bytes.toString() };
  if (programId === SYSTEM_PROGRAM) return parseSystem(accounts, bytes);
  if (programId === ASSOCIATED_PROGRAM) return parseAssociated(accounts, bytes);
  return isTokenProgram(programId) ? parseToken(programId, accounts, bytes) : null;
}

function parseSystem(accounts: string[], data: Buffer): Parsed | null {
  if (data.length !== 12 || data.readUInt32LE(0) !== 2) return null;
  const [source, destination] = accounts;
  return {
    program: 'system',
    parsed: { type: 'transfer', info: { source, destination, lamports: data.readBigUInt64LE(4) } },
  };
}

function parseAssociated(accounts: string[], data: Buffer): Parsed | null {
  const type = data.length === 0 || data[0] === 0 ? 'create' : data[0] === 1 ? 'createIdempotent' : null;
  if (type === null) return null;
  const [source, account, wallet, mint, systemProgram, tokenProgram] = accounts;
  const info = { source, account, wallet, mint, systemProgram, tokenProgram };
  return { program: 'spl-associated-token-account', parsed: { type, info } };
}

function parseToken(programId: string, accounts: string[], data: Buffer): Parsed | null {
  const program = programId === TOKEN_2022_PROGRAM ? 'spl-token-2022' : 'spl-token';
  const [first, second, third, fourth] = accounts;
  switch (data[0]) {
    case 3: {
      const info = { source: first, destination: second, authority: third, amount: String(data.readBigUInt64LE(1)) };
      return { program, parsed: { type: 'transfer', info } };
    }
    case 9:
      return { program, parsed: { type: 'closeAccount', info: { account: first, destination: second, owner: third } } };
    case 12: {
      const tokenAmount = printTokenAmount(data.readBigUInt64LE(1), data[9] ?? 0);
      const info = { source: first, mint: second, destination: third, authority: fourth, tokenAmount };
      return { program, parsed: { type: 'transferChecked', info } };
    }
    default:
      return null;
  }
}
