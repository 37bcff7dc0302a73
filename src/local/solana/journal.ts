/**
 * The chain's memory on disk: a line for the genesis, then one for each transaction that landed, with what it left in its
 * accounts. A line is on the disk before its transaction is answered; a torn last line is one that was never answered.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { PRIVATE_FILE, PRIVATE_FOLDER, replacePrivateFile } from '../private-files.ts';

const accountShape = z.object({
  address: z.string(),
  /** Null where it is gone. */
  account: z.object({ lamports: z.string(), owner: z.string(), data: z.string(), executable: z.boolean() }).nullable(),
});

const entryShape = z.object({ record: z.unknown(), accounts: z.array(accountShape) });
const genesisShape = z.object({ genesisHash: z.string() });

/** `record` is the landed transaction's; its reader parses it. Lamports as a decimal string, data in base64. */
export type JournalEntry = z.infer<typeof entryShape>;

export type Journal = {
  genesisHash: string;
  /** What was there when it was opened, oldest first. */
  entries: JournalEntry[];
  append(entry: JournalEntry): void;
};

/** Without a file nothing is kept. `newGenesis` is asked for where there is none yet. */
export function openJournal(file: string | undefined, newGenesis: () => string): Journal {
  if (file === undefined) return { genesisHash: newGenesis(), entries: [], append: () => undefined };
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  if (!existsSync(file) || readFileSync(file, 'utf8').indexOf('\n') < 0) {
    replacePrivateFile(file, `${JSON.stringify({ genesisHash: newGenesis() })}\n`);
  }
  const text = readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole));
  const [first = '', ...rest] = whole.trimEnd().split('\n');
  return {
    genesisHash: genesisShape.parse(JSON.parse(first)).genesisHash,
    entries: rest.map((line) => entryShape.parse(JSON.parse(line))),
    append: (entry) => appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: PRIVATE_FILE, flush: true }),
  };
}
