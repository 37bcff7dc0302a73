import { formatUnits } from 'viem';
import type { Registry } from '../../chains/registry.ts';
import { readSolanaWire } from '../signing/is-solana-transaction-signed.ts';
import { type Display, printAmount, tokenAt } from './display.ts';

const SYSTEM = '11111111111111111111111111111111';
const TOKEN_PROGRAMS = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]);
/** Programs that move no funds on their own. */
const QUIET_PROGRAMS = new Set([
  'ComputeBudget111111111111111111111111111111',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
]);

const SHOWN_PARTS = 8;
const IN_TABLE = ' of a lookup table';

type Instruction = { program: string; accounts: string[]; data: Uint8Array };

/** What a transaction moves: coins and tokens as text, other programs by their addresses with a warning. */
export async function describeSolanaTransaction(
  world: { registry: Registry },
  request: { chainId: number; transaction: Uint8Array },
): Promise<Display> {
  const instructions = await instructionsOf(request.transaction);
  if (!instructions)
    return { summary: 'Sign a Solana transaction that cannot be read.', warnings: ['It cannot be read.'] };
  const parts: string[] = [];
  const warnings: string[] = [];
  for (const instruction of instructions) {
    const isHidden = instruction.accounts.some((account) => account.endsWith(IN_TABLE));
    if (isHidden) warnings.push('Some of its accounts stand in a table elsewhere, and are not shown.');
    if (QUIET_PROGRAMS.has(instruction.program)) continue;
    const words = describeInstruction(world, { ...request, instruction });
    parts.push(words ?? `call the program ${instruction.program}`);
    if (words === null) warnings.push(`What the program ${instruction.program} does cannot be read.`);
    if (words?.startsWith('allow')) warnings.push('An allowance lasts until it is taken back.');
  }
  if (parts.length > SHOWN_PARTS) warnings.unshift('It does more than is shown here.');
  const shown = parts.slice(0, SHOWN_PARTS).join(', then ');
  const summary = parts.length === 0 ? 'Sign a Solana transaction that moves nothing.' : `${capital(shown)}.`;
  return { summary, warnings: [...new Set(warnings)].slice(0, SHOWN_PARTS) };
}

function describeInstruction(
  world: { registry: Registry },
  request: { chainId: number; instruction: Instruction },
): string | null {
  const { program, accounts, data } = request.instruction;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (program === SYSTEM && data.length === 12 && view.getUint32(0, true) === 2) {
    return `send ${formatUnits(view.getBigUint64(4, true), 9)} SOL to ${accounts[1]}`;
  }
  if (!TOKEN_PROGRAMS.has(program) || data.length < 9)
    return data.length === 1 && TOKEN_PROGRAMS.has(program) ? tokenTag(data[0]) : null;
  const amount = view.getBigUint64(1, true);
  switch (data[0]) {
    case 3:
      return `send ${amount} base units of a token to the token account ${accounts[1]}`;
    case 4:
      return `allow ${accounts[1]} to spend ${amount} base units of a token`;
    case 12: {
      const mint = accounts[1] ?? '';
      return `send ${printAmount(amount, tokenAt(world.registry, { ...request, address: mint }), mint)} to the token account ${accounts[2]}`;
    }
    case 13: {
      const mint = accounts[1] ?? '';
      return `allow ${accounts[2]} to spend ${printAmount(amount, tokenAt(world.registry, { ...request, address: mint }), mint)}`;
    }
    default:
      return null;
  }
}

/** Describes instructions without an amount. */
function tokenTag(tag: number | undefined): string | null {
  if (tag === 5) return 'take back an allowance';
  return tag === 9 ? 'close a token account' : null;
}

async function instructionsOf(transaction: Uint8Array): Promise<Instruction[] | null> {
  const { VersionedMessage } = await import('@solana/web3.js');
  const wire = readSolanaWire(transaction);
  if (!wire) return null;
  try {
    const message = VersionedMessage.deserialize(wire.message);
    const nameOf = (index: number) => message.staticAccountKeys[index]?.toBase58() ?? `account ${index}${IN_TABLE}`;
    return message.compiledInstructions.map((compiled) => ({
      program: nameOf(compiled.programIdIndex),
      accounts: compiled.accountKeyIndexes.map(nameOf),
      data: Uint8Array.from(compiled.data),
    }));
  } catch {
    return null;
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
