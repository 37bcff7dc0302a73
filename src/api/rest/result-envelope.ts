import type { RestEnvelope } from './rest-route.ts';

/** The answer's body from the document's `data` field, or null for no body. */
export function resultEnvelope(envelope: RestEnvelope, data: unknown): unknown {
  switch (envelope) {
    case 'DATA':
    case 'LIST':
      return { success: true, data };
    case 'PAGE': {
      const { items, ...pagination } = fieldsOf(data);
      return { success: true, data: items, pagination };
    }
    case 'EVENTS': {
      const { items, ...rest } = fieldsOf(data);
      return { success: true, data: items, ...rest };
    }
    case 'BARE':
      return data;
    case 'NONE':
      return null;
    default:
      return envelope satisfies never;
  }
}

function fieldsOf(data: unknown): Record<string, unknown> {
  return typeof data === 'object' && data !== null ? { ...data } : {};
}
