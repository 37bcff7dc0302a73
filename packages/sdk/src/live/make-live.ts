/** The live methods, which are written by hand beside the printed ones. */
import type { Connection } from '../connection.ts';
import { paymentIntentSelection, subscriptionSelection } from '../generated/resources.ts';
import type { CheckoutSession, PaymentIntent, SluiceEvent, Subscription } from '../generated/types.ts';
import { send } from '../send.ts';
import { follow } from './follow.ts';
import { type GraphResult, graphError } from './graph-error.ts';

export type WatchOptions = {
  /** The `sequence` that you saw last. You get every state since then instead of the present one. */
  after?: number;
  /** Ends the loop, which then throws the signal's reason. Leaving the loop by `break` ends it as well. */
  signal?: AbortSignal;
};

export type FollowOptions = {
  /** The `sequence` that you handled last; 0 for all events. By default only what happens from now on. */
  after?: number;
  /** Only these types. */
  types?: SluiceEvent['type'][];
  /** For the token of a member, whose apps are several. */
  appId?: string;
  signal?: AbortSignal;
};

/** `sequence` is the number of the newest event that the state includes. */
export type Live<Resource> = Resource & { sequence: number };

/** What a payer's page may see. */
export type CheckoutState = {
  session: Pick<CheckoutSession, 'id' | 'status' | 'amount' | 'currency' | 'expiresAt' | 'completedAt' | 'lastError'>;
  payment: { status: PaymentIntent['status'] } | null;
  /** The gateway's time, by which the session expires. */
  now: string;
};

export type LiveResources = {
  readonly paymentIntents: {
    /**
     * The payment as it is, then as it is after each event of it, until you leave the loop. It reconnects by itself; a
     * state is neither missed nor repeated.
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
     * The subscription as it is, then as it is after each event of it.
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
     * For a payer's browser, with the session's client secret: the session as it is, then after each change.
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
     * The app's events as they happen, in order and without gaps over reconnections. Follow many payments by this, and one
     * by its own `watch`.
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
     * The number of the app's newest event, 0 if there is none: where "from now on" begins.
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
    // Without a number, what happens while the first connection breaks would be missed.
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
