/**
 * An operation of the REST API, as printed by the build from a document under `schema/rest` into `generated/rest.ts`. A route has no logic:
 * it defines how a request is converted to the variables of its document, and the document's result to a response.
 */
import type { DocumentNode } from 'graphql';
import type { Access } from '../graphql/server/access/access.ts';
import type { RestUnion } from './rest-union.ts';

export const restMethods = ['GET', 'POST', 'PUT', 'DELETE'] as const;
export type RestMethod = (typeof restMethods)[number];

/**
 * - `DATA`: `{ success, data }`.
 * - `PAGE`: `{ success, data: items, pagination }`.
 * - `LIST`: `{ success, data: [] }`, without pagination.
 * - `EVENTS`: `{ success, data: items, hasMore }`.
 * - `BARE`: the object itself (the card API).
 * - `NONE`: no body.
 */
export const restEnvelopes = ['DATA', 'PAGE', 'LIST', 'EVENTS', 'BARE', 'NONE'] as const;
export type RestEnvelope = (typeof restEnvelopes)[number];

export type RestRoute = {
  /** The operation name of the document, which is the operationId in OpenAPI. */
  operation: string;
  kind: 'query' | 'mutation';
  method: RestMethod;
  /** The path, with `:name` for each path variable. */
  path: string;
  /** The HTTP status of a successful response. */
  status: number;
  envelope: RestEnvelope;
  /** Fields of the document's `data` that are omitted if they are null: names, or paths such as `items.error`. */
  omitted: readonly string[];
  /** Objects of the document's `data` whose fields depend on the value of one of them. */
  unions: readonly RestUnion[];
  /** The root field that the document selects. */
  field: string;
  /** The callers that the root field allows. */
  access: readonly Access[];
  /** The executable document, without the @rest directive. */
  document: DocumentNode;
};

/** Returns the names of a path's variables. */
export function pathVariables(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');
}

/** The variable that receives the body. All others are in the path or the query. */
export const BODY_VARIABLE = 'input';
