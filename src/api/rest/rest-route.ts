/**
 * One operation of the REST surface, as the build printed it from a document under `schema/rest` into
 * `generated/rest.ts`. A route has no logic: it says how a request becomes variables of its document, and how the
 * document's result becomes an answer.
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
  /** The document's operation name; the operationId in OpenAPI. */
  operation: string;
  kind: 'query' | 'mutation';
  method: RestMethod;
  /** With `:name` for each path variable. */
  path: string;
  /** Of success. */
  status: number;
  envelope: RestEnvelope;
  /** Fields of the document's `data` that are left out where they are null: names, or paths such as `items.error`. */
  leftOut: readonly string[];
  /** Objects of the document's `data` whose fields depend on the value of one of them. */
  unions: readonly RestUnion[];
  /** The root field that the document asks. */
  field: string;
  /** Who may call, any one of them: the root field's own scopes. */
  access: readonly Access[];
  /** Without the @rest directive, ready to be executed. */
  document: DocumentNode;
};

/** The names of a path's variables. */
export function pathVariables(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');
}

/** The variable that takes the body; every other one is of the path or the query. */
export const BODY_VARIABLE = 'input';
