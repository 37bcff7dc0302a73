import type { ServerResponse } from 'node:http';

const LOOK_MS = 15_000;

/**
 * Ends a streamed answer whose client has read nothing of what waits for it between two looks: its place is free again,
 * and it comes back where it was. One that reads slowly stays, and what waits for it is bounded by the feed.
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
