/** An event as webhooks and the API print it. */
import type { Event } from '../../prisma/client.ts';

export type EventBody = {
  id: string;
  type: string;
  /** The app's own count; a whole number well inside what JSON's numbers hold. */
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
