/** The methods for live updates. They are written by hand; the other methods are generated. */
import type { Connection } from '../connection.ts';
import { paymentIntentSelection, subscriptionSelection } from '../generated/resources.ts';
import type { CheckoutSession, PaymentIntent, SluiceEvent, Subscription } from '../generated/types.ts';
import { send } from '../send.ts';
import { follow } from './follow.ts';
import { type GraphResult, graphError } from './graph-error.ts';

export type WatchOptions = {
  /** The last `sequence` that you received. Every state after it is returned, instead of only the current state. */
  after?: number;
  /** Stops the loop, which then throws the signal's reason. Leaving the loop with `break` also ends the subscription. */
  signal?: AbortSignal;
};

export type FollowOptions = {
  /** The last `sequence` that you handled; 0 for all events. By default, only new events are returned. */
  after?: number;
  /** Returns only events of these types. */
  types?: SluiceEvent['type'][];
  /** The app whose events are returned. For a member's token, which can cover several apps. */
  appId?: string;
  signal?: AbortSignal;
};

/** `sequence` is the number of the newest event that the state includes. */
export type Live<Resource> = Resource & { sequence: number };

/** The state of a checkout session that a payer's page can read. */
export type CheckoutState = {
  session: Pick<CheckoutSession, 'id' | 'status' | 'amount' | 'currency' | 'expiresAt' | 'completedAt' | 'lastError'>;
  payment: { status: PaymentIntent['status'] } | null;
  /** The gateway's current time, to which `expiresAt` refers. */
  now: string;
};

export type LiveResources = {
  readonly paymentIntents: {
    /**
     * Yields the current state of the payment, then its state after each of its events, until you leave the loop. The client
     * reconnects automatically, and no state is missed or repeated.
     *
     * @example
     * ```ts
     * for await (const intent of sluice.paymentIntents.watch(paymentIntentId)) {
     *   if (intent.status === 'CAPTURED') break;
     * }
     * ```
     */
    watch(paymentIntentId: string, options?: WatchOptions): AsyncGenerator<Live<PaymentIntent>, void, undefined>;
  };
  readonly subscriptions: {
    /**
     * Yields the current state of the subscription, then its state after each of its events.
     *
     * @example
     * ```ts
     * for await (const subscription of sluice.subscriptions.watch(subscriptionId)) {
     *   if (subscription.status === 'ACTIVE') break;
     * }
     * ```
     */
    watch(subscriptionId: string, options?: WatchOptions): AsyncGenerator<Live<Subscription>, void, undefined>;
  };
  readonly checkoutSessions: {
    /**
     * Yields the current state of the session, then its state after each change. For a payer's browser, with the session's
     * client secret.
     *
     * @example
     * ```ts
     * for await (const { session } of sluice.checkoutSessions.watch(checkoutSessionId)) {
     *   if (session.status !== 'OPEN') break;
     * }
     * ```
     */
    watch(
      checkoutSessionId: string,
      options?: Pick<WatchOptions, 'signal'>,
    ): AsyncGenerator<CheckoutState, void, undefined>;
  };
  readonly events: {
    /**
     * Yields the app's events as they happen, in order and without gaps, even after reconnections. Use it to follow many
     * payments, and `paymentIntents.watch` to follow one.
     *
     * @example
     * ```ts
     * for await (const event of sluice.events.follow({ after: 0 })) {
     *   if (event.type === 'payment_intent.captured') break;
     * }
     * ```
     */
    follow(options?: FollowOptions): AsyncGenerator<SluiceEvent, void, undefined>;
    /**
     * Resolves to the sequence number of the app's newest event, or 0 if there is none. `follow` starts after it by default.
     *
     * @example
     * ```ts
     * const after = await sluice.events.newestSequence();
     * ```
     */
    newestSequence(options?: Pick<FollowOptions, 'appId' | 'signal'>): Promise<number>;
  };
};

export function makeLive(connection: Connection): LiveResources {
  const watchOne = <Resource>(field: string, selection: string, id: string, options: WatchOptions = {}) =>
    follow<Live<Resource>>(connection, {
      query: `subscription ($id: ID!, $after: Int) { ${field}(id: $id, after: $after) { ${selection} sequence } }`,
      field,
      variables: { id },
      after: options.after,
      isResumable: true,
      mayBeginAnew: true,
      signal: options.signal,
    });
  return {
    paymentIntents: {
      watch: (id, options) => watchOne<PaymentIntent>('paymentIntentUpdated', paymentIntentSelection, id, options),
    },
    subscriptions: {
      watch: (id, options) => watchOne<Subscription>('subscriptionUpdated', subscriptionSelection, id, options),
    },
    checkoutSessions: {
      watch: (id, options = {}) =>
        follow<CheckoutState>(connection, {
          query: `subscription ($id: ID!) { checkoutUpdated(id: $id) {
            session { id status amount currency expiresAt completedAt lastError { code message } } payment { status } now } }`,
          field: 'checkoutUpdated',
          variables: { id },
          isResumable: false,
          mayBeginAnew: false,
          signal: options.signal,
        }),
    },
    events: {
      follow: (options = {}) => followEvents(connection, options),
      newestSequence: (options = {}) => newestSequence(connection, options),
    },
  };
}

async function* followEvents(
  connection: Connection,
  { after, types, appId, signal }: FollowOptions,
): AsyncGenerator<SluiceEvent, void, undefined> {
  yield* follow<SluiceEvent>(connection, {
    query: `subscription ($after: Int, $types: [String!], $appId: ID) { events(after: $after, types: $types, appId: $appId) {
      id type sequence timestamp appId data finality { confirmations required isFinal } } }`,
    field: 'events',
    variables: { types, appId },
    // Without a number, events would be missed if the first connection broke.
    after: after ?? (await newestSequence(connection, { appId, signal })),
    isResumable: true,
    mayBeginAnew: false,
    signal,
  });
}

async function newestSequence(
  connection: Connection,
  { appId, signal }: Pick<FollowOptions, 'appId' | 'signal'>,
): Promise<number> {
  const body = {
    query: 'query ($appId: ID) { eventLog(limit: 1, appId: $appId) { items { sequence } } }',
    variables: { appId },
  };
  const response = await send(connection, { method: 'POST', path: '/graphql', body }, signal ? { signal } : {});
  const { data, errors }: GraphResult = await response.json();
  if (errors) throw graphError(errors);
  const log = data?.eventLog as { items: { sequence: number }[] } | undefined;
  return log?.items[0]?.sequence ?? 0;
}
