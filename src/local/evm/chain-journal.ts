/**
 * A local EVM chain on disk: a snapshot of the whole chain, and a journal of what followed, with one line per turn of writes. A line is on
 * disk before any client learns of what it describes. A new snapshot and its journal get the next number. The journal is created last, by a
 * rename, so that the pair with the highest number is complete.
 */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { PRIVATE_FILE } from '../private-files.ts';

const callShape = z.object({ method: z.string(), params: z.array(z.unknown()) });

const blockShape = z.object({
  number: z.number(),
  hash: z.string(),
  timestamp: z.number(),
  baseFeePerGas: z.string(),
  /** The calls that send its transactions again, in order. */
  sends: z.array(callShape),
});

const turnShape = z.object({
  /** Calls that changed the state without a block, applied before the blocks. */
  calls: z.array(callShape),
  blocks: z.array(blockShape),
});

const headerShape = z.object({ genesisTimestamp: z.number() });

export type NodeCall = z.infer<typeof callShape>;
export type JournalBlock = z.infer<typeof blockShape>;
export type Turn = z.infer<typeof turnShape>;

export type ChainJournal = {
  /** Undefined if the chain has not begun. */
  kept: { snapshotFile: string; genesisTimestamp: number; turns: Turn[] } | undefined;
  /** Number of blocks since the snapshot. */
  blocks(): number;
  /** Resolves when the line is on disk. */
  append(turn: Turn): Promise<void>;
  /** Replaces snapshot and journal with a new snapshot. No line may be appended meanwhile. */
  renew(snapshot: Uint8Array, header: { genesisTimestamp: number }): Promise<void>;
  close(): Promise<void>;
};

/** `stateFile` is the prefix of the file names. */
export async function openChainJournal(stateFile: string): Promise<ChainJournal> {
  let current = newestNumber(stateFile);
  const kept = current === undefined ? undefined : readKept(stateFile, current);
  let blocks = kept?.turns.reduce((sum, turn) => sum + turn.blocks.length, 0) ?? 0;
  let handle: FileHandle | undefined;
  if (current !== undefined && kept) {
    handle = await open(journalName(stateFile, current), 'a', PRIVATE_FILE);
    // Whatever follows the last complete line was never reported to any client.
    await handle.truncate(kept.bytes);
  }
  forgetOthers(stateFile, current);
  return {
    kept,
    blocks: () => blocks,
    async append(turn) {
      if (!handle) throw new Error('The journal has no snapshot to start from.');
      await handle.appendFile(`${JSON.stringify(turn)}\n`);
      await handle.datasync();
      blocks += turn.blocks.length;
    },
    async renew(snapshot, header) {
      const next = (current ?? 0) + 1;
      await writeAtomically(snapshotName(stateFile, next), snapshot);
      await writeAtomically(journalName(stateFile, next), `${JSON.stringify(header)}\n`);
      syncFolder(dirname(stateFile));
      await handle?.close();
      handle = await open(journalName(stateFile, next), 'a', PRIVATE_FILE);
      [current, blocks] = [next, 0];
      forgetOthers(stateFile, next);
    },
    async close() {
      await handle?.close();
      handle = undefined;
    },
  };
}

function readKept(stateFile: string, number: number) {
  const contents = readFileSync(journalName(stateFile, number));
  const turns: Turn[] = [];
  let header: z.infer<typeof headerShape> | undefined;
  let bytes = 0;
  for (let end = contents.indexOf(10); end >= 0; end = contents.indexOf(10, bytes)) {
    const line = parseLine(contents.toString('utf8', bytes, end));
    if (line === undefined) break;
    if (header) turns.push(turnShape.parse(line));
    else header = headerShape.parse(line);
    bytes = end + 1;
  }
  if (!header) throw new Error(`${journalName(stateFile, number)} has no first line.`);
  return { snapshotFile: snapshotName(stateFile, number), ...header, turns, bytes };
}

/** Returns undefined for a line that was not written completely because of a power failure. */
function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function newestNumber(stateFile: string): number | undefined {
  const numbers = numbersOf(stateFile, 'journal').filter((number) => existsSync(snapshotName(stateFile, number)));
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

function numbersOf(stateFile: string, kind: 'journal' | 'snapshot'): number[] {
  const prefix = `${basename(stateFile)}.${kind}-`;
  return readdirSync(dirname(stateFile))
    .filter((name) => name.startsWith(prefix))
    .map((name) => Number(name.slice(prefix.length)))
    .filter((number) => Number.isInteger(number));
}

function forgetOthers(stateFile: string, current: number | undefined): void {
  for (const number of numbersOf(stateFile, 'journal')) {
    if (number !== current) rmSync(journalName(stateFile, number), { force: true });
  }
  for (const number of numbersOf(stateFile, 'snapshot')) {
    if (number !== current) rmSync(snapshotName(stateFile, number), { force: true });
  }
  const partialFiles = readdirSync(dirname(stateFile)).filter(
    (name) => name.startsWith(`${basename(stateFile)}.`) && name.endsWith('.partial'),
  );
  for (const name of partialFiles) rmSync(join(dirname(stateFile), name), { force: true });
}

async function writeAtomically(file: string, contents: Uint8Array | string): Promise<void> {
  const partial = `${file}.partial`;
  const handle = await open(partial, 'w', PRIVATE_FILE);
  try {
    await handle.writeFile(contents);
    await handle.sync();
  } finally {
    await handle.close();
  }
  renameSync(partial, file);
}

/** A rename survives a power failure once its folder is synced. Windows has no such call. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function journalName(stateFile: string, number: number): string {
  return `${stateFile}.journal-${number}`;
}

function snapshotName(stateFile: string, number: number): string {
  return `${stateFile}.snapshot-${number}`;
}
