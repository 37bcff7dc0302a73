/**
 * Keeps what a buyer has spent in a file. Processes of one machine that share the file share the budget: a lock lets one of them change it at a
 * time, and each change replaces the file as a whole, so that a process that is killed leaves either the old content or the new one. What a
 * process had reserved or signed when it was killed stays counted, because it may have been paid.
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type BuyerStore, dayOf, isKept, type Receipt, type StoreOptions, spentOn } from '../client/buyer-store.ts';
import { isCode, withLock } from './lock-file.ts';

export type FileStoreOptions = StoreOptions & {
  /** How long a call waits for other processes, in milliseconds; 10 s by default. */
  lockTimeoutMs?: number;
};

const VERSION = 1;
const KEEP_DAYS = 30;
const LOCK_TIMEOUT_MS = 10_000;
const OWNER_ONLY = 0o600;

/**
 * A store in a file on a local disk, which is created with its folder at the first payment. Calls reject while the file or its lock cannot be
 * used, so that a broken file never looks like an unspent budget.
 */
export function fileStore(path: string, options: FileStoreOptions = {}): BuyerStore {
  const file = resolve(path);
  const { keepDays = KEEP_DAYS, lockTimeoutMs = LOCK_TIMEOUT_MS } = options;
  let last: Promise<unknown> = Promise.resolve();

  /** Calls of this process follow one another, so that they wait for their turn and not for the lock. */
  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = last.then(async () => {
      await mkdir(dirname(file), { recursive: true });
      return await withLock(`${file}.lock`, lockTimeoutMs, work);
    });
    last = turn.catch(() => undefined);
    return await turn;
  }

  return {
    reserve: (receipt, limit) =>
      inTurn(async () => {
        const receipts = await read(file);
        if (spentOn(dayOf(receipt), receipts) + BigInt(receipt.units) > limit) return false;
        await write(file, [...receipts.filter((one) => isKept(one, receipt, keepDays)), receipt]);
        return true;
      }),
    update: (id, change) =>
      inTurn(async () => {
        const receipts = await read(file);
        await write(
          file,
          receipts.map((one) => (one.id === id ? { ...one, ...change } : one)),
        );
      }),
    list: async () => (await read(file)).reverse(),
  };
}

async function read(file: string): Promise<Receipt[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
  const receipts = parse(text);
  if (receipts) return receipts;
  throw new Error(`${file} does not contain the receipts of a buyer. Nothing is paid until it is restored or deleted.`);
}

function parse(text: string): Receipt[] | null {
  try {
    const content = JSON.parse(text) as { version?: unknown; receipts?: unknown };
    const { version, receipts } = content;
    return version === VERSION && Array.isArray(receipts) && receipts.every(isReceipt) ? receipts : null;
  } catch {
    return null;
  }
}

function isReceipt(value: unknown): value is Receipt {
  if (typeof value !== 'object' || value === null) return false;
  const { id, at, units, status } = value as Record<string, unknown>;
  return (
    typeof id === 'string' &&
    typeof at === 'string' &&
    typeof units === 'string' &&
    /^\d+$/.test(units) &&
    ['reserved', 'charged', 'unconfirmed', 'released'].includes(String(status))
  );
}

/** Replaces the file in one step, after its content has reached the disk. The caller has the lock. */
async function write(file: string, receipts: readonly Receipt[]): Promise<void> {
  const draft = `${file}.new`;
  const handle = await open(draft, 'w', OWNER_ONLY);
  try {
    await handle.writeFile(JSON.stringify({ version: VERSION, receipts }));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  // Windows cannot synchronize a folder.
  if (process.platform === 'win32') return;
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
