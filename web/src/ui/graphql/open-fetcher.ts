/** Sends the requests of the GraphQL editor: over HTTP, and over a separate WebSocket for each subscription. */
import type { GraphiQL } from 'graphiql';
import { getOperationAST, parse } from 'graphql';
import { createClient, type ExecutionResult } from 'graphql-ws';
import type { ComponentProps } from 'react';
import type { Credential } from '../../api/ask.ts';

type Fetcher = ComponentProps<typeof GraphiQL>['fetcher'];
type Question = { query: string; operationName?: string; variables?: Record<string, unknown> };

/** Sends `credential` and the headers in the editor, which take precedence. */
export function openFetcher(credential: Credential = {}): Fetcher {
  return ({ query, operationName, variables }, { headers } = {}) => {
    const question = { query, ...(operationName ? { operationName } : {}), ...(variables ? { variables } : {}) };
    const sent = { ...credential, ...filledIn(headers ?? {}) };
    return isSubscription(question) ? follow(question, sent) : ask(question, sent);
  };
}

/** Parses the text, because the syntax tree from GraphiQL may be outdated. The API refuses a text that cannot be parsed. */
function isSubscription({ query, operationName }: Question): boolean {
  try {
    return getOperationAST(parse(query), operationName)?.operation === 'subscription';
  } catch {
    return false;
  }
}

/** Returns the headers with names in lower case. A header without a value, which the editor offers initially, is not sent. */
function filledIn(headers: Record<string, unknown>): Record<string, string> {
  const filled = Object.entries(headers).filter(([, value]) => value !== '' && value !== null);
  return Object.fromEntries(filled.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

async function ask(question: Question, headers: Record<string, string>): Promise<ExecutionResult> {
  const answer = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(question),
  });
  return await answer.json();
}

function follow(question: Question, connectionParams: Record<string, string>): AsyncIterableIterator<ExecutionResult> {
  const client = createClient({
    url: `${location.protocol === 'https:' ? 'wss:' : 'ws:'}//${location.host}/graphql`,
    connectionParams,
    retryAttempts: 0,
  });
  // The types of GraphiQL require instances of graphql's error class. Here it receives JSON and only prints it.
  const results = client.iterate(question) as AsyncIterableIterator<ExecutionResult>;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => results.next().catch(throwReadably),
    // The client closes its socket when there are no subscriptions left.
    return: async () => (await results.return?.()) ?? { done: true, value: undefined },
  };
}

/** A close frame contains the reason for the end of a connection, but would be printed as an empty object. */
function throwReadably(error: unknown): never {
  if (error instanceof CloseEvent) throw new Error(`The connection was closed: ${error.code} ${error.reason}`.trim());
  throw error;
}
