/** What `@sluice/sdk/receiver` exports. `@sluice/sdk/receiver/file` has the store that needs a file system. */
export { createReceiver, type Receiver, type ReceiverOptions } from './create-receiver.ts';
export { type CursorStore, memoryStore } from './cursor-store.ts';
export { type PostgresClient, postgresStore } from './postgres-store.ts';
