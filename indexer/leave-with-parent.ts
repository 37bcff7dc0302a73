/** Loaded before Ponder: when the supervisor is killed, Ponder ends too, for it would keep its schema locked. */
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.channel) {
  process.on('disconnect', () => process.exit(1));
  process.channel.unref();
}
