/**
 * Detects credential changes that this process commits itself, by whatever statement. A database trigger sends an INFO message to the
 * connection that changes a credential (migration `credential_changes`). Once that connection is outside a transaction again, its process
 * is notified before the statement or the commit resolves.
 */
import type pg from 'pg';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { unguarded } from './guarded-database.ts';

/** SQLSTATE of the trigger's message. */
const CREDENTIAL_CHANGED = 'SLC01';
/** Transaction status with which Postgres reports that a connection is ready and outside a transaction. */
const IDLE = 'I';

type Listener = () => void;
export type OwnChanges = Set<Listener>;

const changesOf = new WeakMap<PrismaClient, OwnChanges>();

/** Calls the listeners of `changes` after each commit of a changed credential on any connection of the pool. */
export function watchPool(pool: pg.Pool, changes: OwnChanges): void {
  pool.on('connect', (client) => {
    let isChanged = false;
    const notify = () => {
      if (!isChanged) return;
      isChanged = false;
      for (const listener of changes) listener();
    };
    client.on('notice', ({ code }) => {
      if (code === CREDENTIAL_CHANGED) isChanged = true;
    });
    client.connection.on('readyForQuery', ({ status }: { status: string }) => {
      if (status === IDLE) notify();
    });
    // A commit may have succeeded although neither its response nor the message arrived.
    client.on('end', () => {
      isChanged = true;
      notify();
    });
  });
}

/** Associates a client with the changes that it makes. */
export function ownChangesAre(database: PrismaClient, changes: OwnChanges): void {
  changesOf.set(database, changes);
}

/**
 * Calls `listener` whenever this client has committed a credential change, before the statement that committed it resolves. The returned
 * function removes the listener. A client that was not opened by `openDatabase` or `openBoundedDatabase` reports nothing.
 */
export function onOwnChange(database: PrismaClient, listener: Listener): () => void {
  const changes = changesOf.get(unguarded(database));
  changes?.add(listener);
  return () => changes?.delete(listener);
}
