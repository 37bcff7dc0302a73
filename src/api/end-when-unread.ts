import type { ServerResponse } from 'node:http';

const LOOK_MS = 15_000;

/**
 * Ends a streamed response if its client has read none of the buffered data between two checks. This frees its place, and the client can
 * resume where it stopped. A client that reads slowly stays connected; the feed limits its queue.
 */
export function endWhenUnread(response: ServerResponse, options: { lookMs?: number } = {}): void {
  let unreadSince: number | undefined;
  const timer = setInterval(() => {
    const { socket } = response;
    const written = socket ? socket.bytesWritten - socket.writableLength : 0;
    if (response.writableLength === 0) unreadSince = undefined;
    else if (unreadSince === written) response.destroy();
    else unreadSince = written;
  }, options.lookMs ?? LOOK_MS);
  timer.unref();
  response.once('close', () => clearInterval(timer));
}
