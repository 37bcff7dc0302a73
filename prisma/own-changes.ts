/**
 * Changes of credentials that this process commits itself, by whatever statement. A trigger of the database sends an INFO
 * message to the connection that changes a credential (migration `credential_changes`); once that connection is outside of a
 * transaction again, its process is notified, before the statement or the commit resolves.
 */
import type pg from 'pg';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { unguarded } from './guarded-database.ts';

/** The SQLSTATE of the trigger's message. */
const CREDENTIAL_CHANGED = 'SLC01';
/** The transaction status in which Postgres says that a connection is ready, outside of a transaction. */
const IDLE = 'I';

type Listener = () => void;
export type OwnChanges = Set<Listener>;

const changesOf = new WeakMap<PrismaClient, OwnChanges>();

/** Calls the listeners of `changes` after each commit of a changed credential, over any connection of the pool. */
export function watchPool(pool: pg.Pool, changes: OwnChanges): void {
  pool.on('connect', (client) => {
    let isChanged = false;
    const tell = () => {
      if (!isChanged) return;
      isChanged = false;
      for (const listener of changes) listener();
    };
    client.on('notice', ({ code }) => {
      if (code === CREDENTIAL_CHANGED) isChanged = true;
    });
    client.connection.on('readyForQuery', ({ status }: { status: string }) => {
      if (status === IDLE) tell();
    });
    // A commit may have succeeded although neither its answer nor the message arrived.
    client.on('end', () => {
      isChanged = true;
      tell();
    });
  });
}

/** Remembers which changes a client makes. */
export function ownChangesAre(database: PrismaClient, changes: OwnChanges): void {
  changesOf.set(database, changes);
}

/**
 * Calls `listener` whenever this client has committed a change of a credential, before the statement that committed it
 * resolves. The returned function ends that. A client that was not opened by `openDatabase` reports nothing.
 */
export function onOwnChange(database: PrismaClient, listener: Listener): () => void {
  const changes = changesOf.get(unguarded(database));
  changes?.add(listener);
  return () => changes?.delete(listener);
}
