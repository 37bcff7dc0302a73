import type { RestRoute } from './rest-route.ts';

/** The answer's body from the document's `data` field, or null for no body. */
export function resultEnvelope({ envelope, leftOut }: Pick<RestRoute, 'envelope' | 'leftOut'>, data: unknown): unknown {
  switch (envelope) {
    case 'DATA':
      return { success: true, data: leftOut.length === 0 ? data : withoutNull(data, leftOut) };
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

function withoutNull(data: unknown, names: readonly string[]): unknown {
  return Object.fromEntries(
    Object.entries(fieldsOf(data)).filter(([name, value]) => value !== null || !names.includes(name)),
  );
}
