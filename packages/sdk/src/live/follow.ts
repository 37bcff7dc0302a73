/**
 * A subscription that reconnects when its connection is lost. It resumes after the last sequence number that was read, so that
 * no update is missed or repeated.
 */
import type { Connection } from '../connection.ts';
import { delay } from '../delay.ts';
import { SluiceApiError, SluiceConnectionError, SluiceError } from '../errors.ts';
import { type GraphResult, graphError } from './graph-error.ts';
import { NoSocketError, openSocket, type Subscription } from './open-socket.ts';
import { openStream } from './open-stream.ts';

export type Followed = {
  query: string;
  /** The name of the subscription's field. */
  field: string;
  variables: Record<string, unknown>;
  /** The sequence number to start after; undefined for the current state. Omitted if the field cannot be resumed. */
  after?: number | undefined;
  isResumable: boolean;
  /** Whether to continue with the current state if the updates after the number have been archived. That state is complete. */
  mayBeginAnew: boolean;
  signal?: AbortSignal | undefined;
};

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;

export async function* follow<Value>(
  connection: Connection,
  followed: Followed,
): AsyncGenerator<Value, void, undefined> {
  const { signal, isResumable } = followed;
  let { after } = followed;
  let failures = 0;
  let withSocket = connection.liveTransport !== 'sse' && typeof WebSocket !== 'undefined';
  for (;;) {
    signal?.throwIfAborted();
    const variables = isResumable && after !== undefined ? { ...followed.variables, after } : followed.variables;
    const subscription: Subscription = { query: followed.query, variables };
    try {
      const results = withSocket
        ? openSocket(connection, subscription, signal)
        : openStream(connection, subscription, signal);
      for await (const result of results) {
        const value = readValue<Value>(result, followed.field);
        after = sequenceOf(value) ?? after;
        failures = 0;
        yield value;
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (isArchived(error) && followed.mayBeginAnew && after !== undefined) after = undefined;
      else if (!(error instanceof SluiceError) || !mayComeBack(error)) throw error;
      if (error instanceof NoSocketError && connection.liveTransport === 'auto') withSocket = !withSocket;
      else if (!withSocket && connection.liveTransport === 'auto') withSocket = typeof WebSocket !== 'undefined';
    }
    await delay(Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS) * (0.5 + Math.random() / 2), signal);
    failures += 1;
  }
}

function readValue<Value>({ data, errors }: GraphResult, field: string): Value {
  if (errors && errors.length > 0) throw graphError(errors);
  const value = data?.[field];
  if (value === undefined || value === null) throw new SluiceConnectionError('An update has no object.');
  // The document selects the fields of the type.
  return value as Value;
}

function sequenceOf(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null || !('sequence' in value)) return undefined;
  return typeof value.sequence === 'number' ? value.sequence : undefined;
}

function isArchived(error: unknown): boolean {
  return error instanceof SluiceApiError && error.code === 'EXPIRED';
}

/** A failed connection is retried indefinitely, because a follower must outlive restarts of the gateway. */
function mayComeBack(error: SluiceError): boolean {
  return error.retryable;
}
