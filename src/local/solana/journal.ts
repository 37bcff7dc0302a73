/**
 * Persists the chain: a line for the genesis, then one for each landed transaction with the resulting state of its accounts. A line is on
 * disk before its transaction is answered, so an incomplete last line belongs to a transaction that was never answered.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { PRIVATE_FILE, PRIVATE_FOLDER, replacePrivateFile } from '../private-files.ts';

const accountShape = z.object({
  address: z.string(),
  /** Null if the account no longer exists. */
  account: z.object({ lamports: z.string(), owner: z.string(), data: z.string(), executable: z.boolean() }).nullable(),
});

const entryShape = z.object({ record: z.unknown(), accounts: z.array(accountShape) });
const genesisShape = z.object({ genesisHash: z.string() });

/** `record` is the landed transaction, which its reader parses. Lamports are decimal strings, and data is base64. */
export type JournalEntry = z.infer<typeof entryShape>;

export type Journal = {
  genesisHash: string;
  /** Entries that existed when the journal was opened, oldest first. */
  entries: JournalEntry[];
  append(entry: JournalEntry): void;
};

/** Without a file, nothing is persisted. `newGenesis` is called if there is no genesis yet. */
export function openJournal(file: string | undefined, newGenesis: () => string): Journal {
  if (file === undefined) return { genesisHash: newGenesis(), entries: [], append: () => undefined };
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  if (!existsSync(file) || readFileSync(file, 'utf8').indexOf('\n') < 0) {
    replacePrivateFile(file, `${JSON.stringify({ genesisHash: newGenesis() })}\n`);
  }
  const text = readFileSync(file, 'utf8');
  const completeLines = text.slice(0, text.lastIndexOf('\n') + 1);
  if (completeLines.length < text.length) truncateSync(file, Buffer.byteLength(completeLines));
  const [first = '', ...rest] = completeLines.trimEnd().split('\n');
  return {
    genesisHash: genesisShape.parse(JSON.parse(first)).genesisHash,
    entries: rest.map((line) => entryShape.parse(JSON.parse(line))),
    append: (entry) => appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: PRIVATE_FILE, flush: true }),
  };
}
