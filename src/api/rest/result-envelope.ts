import type { RestRoute } from './rest-route.ts';
import { asVariants } from './rest-union.ts';

/** Returns the body of a response from the document's `data`, or null if it has no body. */
export function resultEnvelope(
  { envelope, omitted, unions }: Pick<RestRoute, 'envelope' | 'omitted' | 'unions'>,
  result: unknown,
): unknown {
  const shown = omitted.reduce((held, name) => withoutNull(held, name.split('.')), result);
  const data = unions.reduce((held, union) => asVariants(held, union), shown);
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

/** Removes the field at the end of the path if it is null, in every item of the lists along the path. */
function withoutNull(data: unknown, [name = '', ...below]: readonly string[]): unknown {
  if (Array.isArray(data)) return data.map((item) => withoutNull(item, [name, ...below]));
  if (typeof data !== 'object' || data === null) return data;
  const { [name]: held, ...rest } = fieldsOf(data);
  if (below.length > 0) return { ...data, [name]: withoutNull(held, below) };
  return held === null ? rest : data;
}
