/** Live fields of GraphQL over one WebSocket per credential, which reconnects automatically. */
import { type Client, createClient } from 'graphql-ws';
import type { TypedDocumentString } from '../../../generated/web/documents.ts';
import { type ApiError, networkFault, printedFault } from './api-error.ts';
import type { Credential } from './ask.ts';

export type Follower<Result> = {
  next: (data: Result) => void;
  /** The API ended it permanently: forbidden, not found, or too slow. A lost connection does not end it, but is reopened. */
  failed: (error: ApiError) => void;
};

export type LiveConnection = {
  follow<Result, Variables extends Record<string, unknown>>(
    document: TypedDocumentString<Result, Variables>,
    variables: Variables,
    follower: Follower<Result>,
  ): () => void;
  /** Called with whether the WebSocket is connected, so that a page can show that its data may be outdated. */
  onState(listener: (isConnected: boolean) => void): () => void;
  close(): void;
};

export function openLive(credential: Credential): LiveConnection {
  const states = new Set<(isConnected: boolean) => void>();
  const notify = (isConnected: boolean) => {
    for (const state of states) state(isConnected);
  };
  const client: Client = createClient({
    url: `${location.protocol === 'https:' ? 'wss:' : 'ws:'}//${location.host}/graphql`,
    // For each connection anew, because the token of a member changes with each login.
    connectionParams: () => ({ ...credential }),
    retryAttempts: Number.POSITIVE_INFINITY,
    // Close codes that mean "not allowed" end it; everything else is a network fault and is retried.
    shouldRetry: (event) => !(isCloseEvent(event) && [4400, 4401, 4403, 4406, 4409, 4429].includes(event.code)),
    keepAlive: 15_000,
    lazy: true,
    on: { connected: () => notify(true), closed: () => notify(false) },
  });
  return {
    follow<Result, Variables extends Record<string, unknown>>(
      document: TypedDocumentString<Result, Variables>,
      variables: Variables,
      follower: Follower<Result>,
    ) {
      return client.subscribe<Result>(
        { query: document.toString(), variables },
        {
          next: ({ data, errors }) => {
            if (errors?.length) follower.failed(printedFault(errors));
            else if (data) follower.next(data);
          },
          error: (error) => follower.failed(Array.isArray(error) ? printedFault(error) : networkFault(error)),
          complete: () => {},
        },
      );
    },
    onState(listener) {
      states.add(listener);
      return () => states.delete(listener);
    },
    close: () => void client.dispose(),
  };
}

function isCloseEvent(event: unknown): event is CloseEvent {
  return typeof event === 'object' && event !== null && 'code' in event;
}
