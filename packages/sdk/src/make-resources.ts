/** Creates the methods of the resources from the generated table of operations. */
import type { Connection } from './connection.ts';
import { SluiceUsageError } from './errors.ts';
import { operations, type Resources } from './generated/resources.ts';
import { listPromise, type Page } from './lists.ts';
import type { RequestOptions } from './request-options.ts';
import { type Call, send } from './send.ts';

type Entry = { method: string; path: string; returns: string; takes: string; acceptsKey: boolean };
type Envelope = { data: unknown; pagination?: NonNullable<Page<unknown>['pagination']>; hasMore?: boolean };
type Query = Record<string, unknown>;

export function makeResources(connection: Connection): Resources {
  const resources = Object.entries(operations).map(([resource, table]) => [
    resource,
    Object.fromEntries(
      Object.entries(table).map(([name, row]) => [name, makeMethod(connection, `${resource}.${name}`, readEntry(row))]),
    ),
  ]);
  // The table and the type are generated from the same document.
  return Object.fromEntries(resources) as Resources;
}

function readEntry(row: string): Entry {
  const [method = '', path = '', returns = '', takes = '', key] = row.split(' ');
  return { method, path, returns, takes, acceptsKey: key === 'key' };
}

function makeMethod(connection: Connection, name: string, entry: Entry) {
  const variables = entry.path.match(/\{\w+\}/g) ?? [];
  return (...given: unknown[]) => {
    let path = entry.path;
    for (const [index, variable] of variables.entries()) {
      path = path.replace(variable, segment(given[index], `${name}: ${variable.slice(1, -1)}`));
    }
    const takes = entry.takes === '-' ? [] : entry.takes.split('+');
    const rest = given.slice(variables.length);
    const argument = (kind: string) => (takes.includes(kind) ? rest[takes.indexOf(kind)] : undefined);
    const options = (rest[takes.length] ?? {}) as RequestOptions;
    const query = (argument('query') ?? {}) as Query;
    const call: Call = { method: entry.method, path, query, body: argument('body'), file: argument('file') as Blob };
    if (entry.returns === 'pages') return listPromise(() => readPage(connection, call, query, options));
    return answer(connection, withKey(call, entry, options), entry, options);
  };
}

/** An empty id would address the collection, and an id with a `/` another path. */
function segment(value: unknown, place: string): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..') {
    throw new SluiceUsageError(`${place} is not a valid identifier.`);
  }
  return encodeURIComponent(value);
}

/** All attempts of a call use the same key. If the body contains a key, no second one is sent, because it would contradict it. */
function withKey(call: Call, entry: Entry, options: RequestOptions): Call {
  if (!entry.acceptsKey) return call;
  const inBody = typeof call.body === 'object' && call.body !== null && 'idempotencyKey' in call.body;
  const key = options.idempotencyKey ?? (inBody ? undefined : crypto.randomUUID());
  return key === undefined ? call : { ...call, headers: { 'idempotency-key': key } };
}

async function answer(connection: Connection, call: Call, entry: Entry, options: RequestOptions): Promise<unknown> {
  const response = await send(connection, call, options);
  if (entry.returns === 'file') return response;
  if (entry.returns === 'none') return undefined;
  const { data }: Envelope = await response.json();
  return data;
}

async function readPage(
  connection: Connection,
  call: Call,
  query: Query,
  options: RequestOptions,
): Promise<Page<unknown>> {
  const response = await send(connection, { ...call, query }, options);
  const { data, pagination, hasMore }: Envelope = await response.json();
  const rows = Array.isArray(data) ? data : [];
  const following = pagination
    ? pagination.page < pagination.totalPages && { page: pagination.page + 1 }
    : hasMore === true && rows.length > 0 && cursorAfter(rows.at(-1));
  return {
    data: rows,
    ...(pagination ? { pagination } : {}),
    hasMore: following !== false,
    next: async () =>
      following === false ? undefined : readPage(connection, call, { ...query, ...following }, options),
  };
}

/** Events continue after their sequence number, and other rows after their id. Without either, the first page would be repeated. */
function cursorAfter(last: { sequence?: unknown; id?: unknown }): Query {
  if (last.sequence !== undefined) return { after: last.sequence };
  if (last.id !== undefined) return { cursor: last.id };
  throw new SluiceUsageError('There are more rows, but this version cannot read the next page. Update the package.');
}
