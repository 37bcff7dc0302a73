/** The exports of `@sluice/x402/node`, which need a file system. */
export { type FileStoreOptions, fileStore } from './file-store.ts';
