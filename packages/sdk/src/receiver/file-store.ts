/// <reference types="node" />
/** A cursor in a file, for one process on one machine. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { CursorStore } from './cursor-store.ts';

/**
 * The file contains the number as text. It is replaced atomically, so that a crash leaves either the old or the new number. If a
 * crash prevents writing the number of a handled event, the event is handled again: delivery is at least once.
 */
export function fileStore(path: string, { startAfter = 0 }: { startAfter?: number } = {}): CursorStore {
  const load = async () => {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return String(startAfter);
      throw error;
    });
    if (!/^\d+\s*$/.test(text)) throw new Error(`${path} does not contain a sequence number.`);
    return Number(text);
  };
  return {
    load,
    async advance({ from, to }, work) {
      if ((await load()) !== from) return false;
      await work(undefined);
      await writeFile(`${path}.new`, `${to}\n`, { mode: 0o600, flush: true });
      await rename(`${path}.new`, path);
      return true;
    },
  };
}
