import type { Listener } from '../../../src/platform/database/listener.ts';

type Handler = Parameters<Listener['listen']>[1];

/** A listener whose connection a test can break and restore. It receives only what the test sends. */
export function handListener() {
  const handlers = new Map<string, Handler>();
  const listener: Listener = {
    listen(channel, handler) {
      handlers.set(channel, handler);
      return () => handlers.delete(channel);
    },
    close: async () => undefined,
  };
  return {
    listener,
    up() {
      for (const handler of handlers.values()) handler.onUp?.();
    },
    down() {
      for (const handler of handlers.values()) handler.onDown?.();
    },
    notify: (channel: string, payload = '') => handlers.get(channel)?.onNotification(payload),
  };
}
