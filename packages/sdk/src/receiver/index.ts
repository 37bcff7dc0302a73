/** The exports of `@sluice/sdk/receiver`. `@sluice/sdk/receiver/file` exports the store that requires a file system. */
export { createReceiver, type Receiver, type ReceiverOptions } from './create-receiver.ts';
export { type CursorStore, memoryStore } from './cursor-store.ts';
export { type PostgresClient, postgresStore } from './postgres-store.ts';
