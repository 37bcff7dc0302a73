/** Loaded before Ponder. When the supervisor is killed, Ponder exits too, since it would otherwise keep its schema locked. */
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.channel) {
  process.on('disconnect', () => process.exit(1));
  process.channel.unref();
}
