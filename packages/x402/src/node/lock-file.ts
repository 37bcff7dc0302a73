/**
 * A lock that processes of one machine share: a file that names its owner. It is linked to its name when it is complete, which fails if the name
 * exists. The lock of a process that has ended is removed. One whose owner cannot be checked, such as that of another machine or container, is
 * never removed, because two owners at once could overspend.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';

/** A process ID means the same process only under the same kernel, which `boot` identifies, and in the same namespace. Null where Linux is not. */
type Place = { host: string; boot: string | null; pidNamespace: string | null };
type Owner = Place & { pid: number; token: string };

const RETRY_MS = 10;
const OWNER_ONLY = 0o600;
/** The locks of this process. An earlier process may have had the same id. */
const held = new Set<string>();

/** Runs the work while no other process or caller runs work under the same path. Rejects after `timeoutMs` without having run it. */
export async function withLock<Result>(path: string, timeoutMs: number, work: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  const token = randomUUID();
  held.add(token);
  try {
    while (!(await tryLock(path, token))) {
      if (await removeDead(path)) continue;
      if (performance.now() >= deadline) throw new Error(await describe(path, timeoutMs));
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
    try {
      return await work();
    } finally {
      await rm(path, { force: true });
    }
  } finally {
    held.delete(token);
  }
}

async function tryLock(path: string, token: string): Promise<boolean> {
  const draft = `${path}.${token}`;
  const owner: Owner = { ...(await ownPlace()), pid: process.pid, token };
  await writeFile(draft, JSON.stringify(owner), { mode: OWNER_ONLY });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Removes the lock of a process that has ended, and returns whether it is gone. One process at a time may do so, after it has looked again:
 * otherwise one could remove the new lock of another that has just removed the same dead lock.
 */
async function removeDead(path: string): Promise<boolean> {
  if (!(await isDead(path))) return false;
  const breaker = `${path}.breaker`;
  const token = randomUUID();
  held.add(token);
  try {
    if (!(await tryLock(breaker, token))) return false;
    try {
      if (await isDead(path)) await rm(path, { force: true });
      return true;
    } finally {
      await rm(breaker, { force: true });
    }
  } finally {
    held.delete(token);
  }
}

async function isDead(path: string): Promise<boolean> {
  const owner = await ownerOf(path);
  if (owner === null || !isSamePlace(owner, await ownPlace())) return false;
  if (owner.pid === process.pid) return !held.has(owner.token);
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    return isCode(error, 'ESRCH');
  }
}

async function ownPlace(): Promise<Place> {
  const [boot, pidNamespace] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => null),
    readlink('/proc/self/ns/pid').catch(() => null),
  ]);
  return { host: hostname(), boot: boot?.trim() ?? null, pidNamespace };
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.host === other.host && one.boot === other.boot && one.pidNamespace === other.pidNamespace;
}

async function ownerOf(path: string): Promise<Owner | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Owner;
  } catch {
    return null;
  }
}

async function describe(path: string, timeoutMs: number): Promise<string> {
  const owner = await ownerOf(path);
  const by = owner ? `process ${owner.pid} on ${owner.host} holds it` : 'its owner cannot be read';
  return `The lock ${path} was not free within ${timeoutMs} ms: ${by}. Nothing was paid. Delete it and ${path}.breaker only if that process has ended.`;
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
