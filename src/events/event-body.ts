/** An event as webhooks and the API return it. */
import type { Event } from '../../prisma/client.ts';

export type EventBody = {
  id: string;
  type: string;
  /** The app's own sequence number, always a safe integer in JSON. */
  sequence: number;
  timestamp: string;
  appId: string;
  data: unknown;
  finality?: unknown;
};

export function eventBody(event: Event): EventBody {
  return {
    id: event.id,
    type: event.type,
    sequence: Number(event.sequence),
    timestamp: event.createdAt.toISOString(),
    appId: event.appId,
    data: event.data,
    ...(event.finality === null ? {} : { finality: event.finality }),
  };
}
