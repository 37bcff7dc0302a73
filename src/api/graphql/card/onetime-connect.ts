/** Onetime connect: startOnetimeRequest, confirmOnetimeRequest, signingMethods, onetimeRequest and its live field. */
import { z } from 'zod';
import type { OnetimeRequest } from '../../../../prisma/client.ts';
import { originSchema } from '../../../card/client-origin.ts';
import { confirmOnetimeRequest, type Decision } from '../../../card/confirm-onetime-request.ts';
import {
  LONGEST_REQUEST_SECONDS,
  reportedStatus,
  SIGNATURE_LENGTH,
  type SigningMethod,
  signingMethods,
} from '../../../card/onetime-request.ts';
import { type StartedRequest, startOnetimeRequest } from '../../../card/start-onetime-request.ts';
import { notFound } from '../../../errors.ts';
import { builder, NodeRef } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { sharedPoll } from '../server/live.ts';
import { byRealTime } from '../server/world.ts';
import { cardCaller, cardPrincipal } from './card-caller.ts';

const LOOK_MS = 250;

export const OnetimeStatusEnum = builder.enumType('OnetimeStatus', {
  description: 'Status of a onetime request.',
  values: {
    PENDING: { value: 'PENDING', description: "Waiting for the account holder's decision." },
    SIGNED: { value: 'SIGNED', description: 'Approved, and its signature verified.' },
    REJECTED: { value: 'REJECTED', description: 'Rejected by the account holder.' },
    EXPIRED: { value: 'EXPIRED', description: 'It expired without a decision.' },
  } as const,
});

const DisplayRef = builder.objectRef<{ summary: string; warnings: string[] }>('OnetimeDisplay').implement({
  description: 'Description of a request, to show to the account holder before the decision.',
  fields: (t) => ({
    summary: t.exposeString('summary', {
      description: 'Description of what is signed, in one sentence, with amounts, recipient and domain.',
    }),
    warnings: t.exposeStringList('warnings', {
      description: 'Reasons why signing may have a greater effect than the summary states.',
    }),
  }),
});

const ResultRef = builder.objectRef<{ signature: string; encoding: string }>('OnetimeResult').implement({
  description: 'A verified signature.',
  fields: (t) => ({
    signature: t.exposeString('signature', { description: 'The signature, as returned by the wallet.' }),
    encoding: t.exposeString('encoding', { description: 'hex, base58 or base64.' }),
  }),
});

export const OnetimeRequestRef = builder.objectRef<OnetimeRequest>('OnetimeRequest').implement({
  description: 'A request for one signature by one account.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    status: t.field({
      type: OnetimeStatusEnum,
      description: 'Current status.',
      resolve: (request, _args, context) => reportedStatus(request, context.world.realClock.now()),
    }),
    clientOrigin: t.exposeString('clientOrigin', {
      description: 'Web origin of the client that requests the signature.',
    }),
    chainId: t.exposeString('chainId', { description: 'The chain in CAIP-2 form.' }),
    account: t.exposeString('account', { description: 'The signing account, in CAIP-10 form.' }),
    method: t.exposeString('method', { description: 'Name of the wallet method.' }),
    params: t.expose('params', { type: 'JSON', description: 'Parameters of the method.' }),
    display: t.field({
      type: DisplayRef,
      description: 'Description of the request, to show to the account holder.',
      resolve: (request) => displaySchema.parse(request.display),
    }),
    result: t.field({
      type: ResultRef,
      nullable: true,
      description: 'The signature. Null unless the request is SIGNED.',
      resolve: ({ signature, encoding }) => (signature === null || encoding === null ? null : { signature, encoding }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Time at which it expires without a decision.' }),
    confirmedAt: t.expose('confirmedAt', { type: 'DateTime', nullable: true, description: 'Time of the decision.' }),
  }),
});

const displaySchema = z.object({ summary: z.string(), warnings: z.array(z.string()) });

const startRules = defineRules({
  schema: z.object({
    clientOrigin: originSchema,
    chainId: z.string().max(80, 'at most 80 characters'),
    account: z.string().max(200, 'at most 200 characters'),
    method: z.string().max(100, 'at most 100 characters'),
    params: z.unknown(),
    expirySeconds: z
      .int()
      .min(1, 'at least 1')
      .max(LONGEST_REQUEST_SECONDS, `at most ${LONGEST_REQUEST_SECONDS}`)
      .nullish(),
  }),
});

const StartOnetimeRequestInput = builder.inputType('StartOnetimeRequestInput', {
  description: 'Input for requesting a signature.',
  extensions: carryRules(startRules),
  fields: (t) => ({
    clientOrigin: t.string({
      required: true,
      description: 'Web origin of the client. With a session token, it must be the origin of the session.',
    }),
    chainId: t.string({ required: true, description: 'The chain in CAIP-2 form, such as eip155:1.' }),
    account: t.string({ required: true, description: 'The account in CAIP-10 form, or an address on the chain.' }),
    method: t.string({ required: true, description: 'An enabled method from `signingMethods`.' }),
    params: t.field({
      type: 'JSON',
      required: true,
      description: "Parameters as in the wallet's RPC method, at most 64 KiB.",
    }),
    expirySeconds: t.int({ description: 'Seconds until the request expires, 1 to 300. Defaults to 300.' }),
  }),
});

const StartedRequestRef = builder.objectRef<StartedRequest>('StartedOnetimeRequest').implement({
  description: 'A request that was just created, with its token.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', description: 'The request.', resolve: ({ request }) => request.id }),
    onetimeToken: t.string({
      description: 'A JWT of the audience `onetime-connect`, for this request only.',
      resolve: ({ issued }) => issued.token,
    }),
    status: t.field({
      type: OnetimeStatusEnum,
      description: 'The status, which is always PENDING.',
      resolve: () => 'PENDING' as const,
    }),
    method: t.string({ description: 'Name of the wallet method.', resolve: ({ request }) => request.method }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Time at which it expires without a decision.',
      resolve: ({ request }) => request.expiresAt,
    }),
    display: t.field({
      type: DisplayRef,
      description: 'Description of the request, to show to the account holder.',
      resolve: ({ request }) => displaySchema.parse(request.display),
    }),
  }),
});

const SigningMethodRef = builder.objectRef<SigningMethod>('SigningMethod').implement({
  description: 'A method of a wallet.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'CAIP-2 namespace: eip155, solana or sui.' }),
    method: t.exposeString('method', { description: 'Name of the wallet method.' }),
    resultEncoding: t.exposeString('resultEncoding', { description: 'hex, base58 or base64.' }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether it can be requested.' }),
  }),
});

const SigningMethodsRef = builder.objectRef<{ methods: readonly SigningMethod[] }>('SigningMethods').implement({
  description: 'The wallet methods that can be requested.',
  fields: (t) => ({
    methods: t.field({ type: [SigningMethodRef], description: 'All methods.', resolve: ({ methods }) => methods }),
  }),
});

builder.queryField('signingMethods', (t) =>
  t.field({
    type: SigningMethodsRef,
    description: 'The wallet methods that can be requested.',
    authScopes: { card: true, cardSession: true, onetime: true },
    resolve: () => ({ methods: signingMethods }),
  }),
);

/**
 * Returns those of `ids` that the caller may read: for a onetime token its own request, for a session the user's requests of its origin,
 * and otherwise all requests of the user.
 */
export async function readableRequests(
  { world: { database }, principal }: Pick<GraphqlContext, 'world' | 'principal'>,
  ids: string[],
): Promise<OnetimeRequest[]> {
  const { userId, audience, subjectId } = cardPrincipal(principal);
  const found = await database.onetimeRequest.findMany({ where: { id: { in: ids }, userId } });
  if (audience === 'onetime-connect') return found.filter(({ id }) => id === subjectId);
  if (audience === 'card' || found.length === 0) return found;
  const session = await database.cardSession.findUnique({ where: { id: subjectId } });
  return found.filter(({ clientOrigin }) => clientOrigin === session?.clientOrigin);
}

async function requireRequest(context: GraphqlContext, id: string): Promise<OnetimeRequest> {
  const [found] = await readableRequests(context, [id]);
  if (!found) throw notFound('onetime request');
  return found;
}

builder.queryField('onetimeRequest', (t) =>
  t.field({
    type: OnetimeRequestRef,
    description: 'A onetime request.',
    authScopes: { card: true, cardSession: true, onetime: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    resolve: (_root, { id }, context) => requireRequest(context, id),
  }),
);

builder.subscriptionField('onetimeRequestUpdated', (t) =>
  t.field({
    type: OnetimeRequestRef,
    description:
      'A onetime request: the current state first, and then the complete object after each change, including its expiration.',
    authScopes: { card: true, cardSession: true, onetime: true },
    args: { id: t.arg.id({ required: true, description: 'UUID of the object.' }) },
    subscribe: async (_root, { id }, context) => {
      await requireRequest(context, id);
      return sharedPoll<OnetimeRequest>({
        everyMs: LOOK_MS,
        read: () => requireRequest(context, id),
        fingerprint: (request) => reportedStatus(request, context.world.realClock.now()),
      })();
    },
    resolve: (request) => request,
  }),
);

builder.mutationField('startOnetimeRequest', (t) =>
  t.field({
    type: StartedRequestRef,
    description: 'Creates a request for one signature. A request that cannot be verified is refused.',
    authScopes: { card: true, cardSession: true },
    args: { input: t.arg({ type: StartOnetimeRequestInput, required: true, description: 'The request.' }) },
    resolve: (_root, { input }, context) => {
      const { params, ...rest } = checked(context, startRules, input);
      const caller = cardCaller(context.principal);
      const call = { scopeId: caller.userId, operation: 'startOnetimeRequest', parameters: { ...rest, params } };
      const idempotency = idempotencyOf(context, call);
      return startOnetimeRequest(byRealTime(context.world), { ...rest, params, caller, idempotency });
    },
  }),
);

const confirmRules = defineRules({
  schema: z
    .object({
      decision: z.enum(['APPROVE', 'REJECT']),
      signature: z.string().min(1).max(SIGNATURE_LENGTH, `at most ${SIGNATURE_LENGTH} characters`).nullish(),
    })
    .transform((input, issues): Decision => {
      if (input.decision === 'REJECT') return { decision: 'REJECT' };
      if (typeof input.signature === 'string') return { decision: 'APPROVE', signature: input.signature };
      issues.addIssue({ code: 'custom', path: ['signature'], message: 'is required with APPROVE' });
      return z.NEVER;
    }),
});

const DecisionEnum = builder.enumType('OnetimeDecision', {
  description: "The account holder's decision.",
  values: {
    APPROVE: { value: 'APPROVE', description: 'The account holder approves the request and provides the signature.' },
    REJECT: { value: 'REJECT', description: 'The account holder rejects the request, and nothing is signed.' },
  } as const,
});

const ConfirmOnetimeRequestInput = builder.inputType('ConfirmOnetimeRequestInput', {
  description: "The account holder's decision.",
  extensions: carryRules(confirmRules),
  fields: (t) => ({
    decision: t.field({ type: DecisionEnum, required: true, description: 'APPROVE or REJECT.' }),
    signature: t.string({
      description:
        "Required with APPROVE: what the wallet returned, in the method's encoding. For eth_sendTransaction, it is the transaction hash.",
    }),
  }),
});

builder.mutationField('confirmOnetimeRequest', (t) =>
  t.field({
    type: OnetimeRequestRef,
    description:
      "Records the account holder's decision. VALIDATION_ERROR if the signature is wrong; the request then stays PENDING. Repeating the same decision returns the first response.",
    authScopes: { onetime: true },
    args: {
      id: t.arg.id({ required: true, description: 'ID of the request to which the token belongs.' }),
      input: t.arg({ type: ConfirmOnetimeRequestInput, required: true, description: 'The decision.' }),
    },
    resolve: (_root, { id, input }, context) => {
      const decision = checked(context, confirmRules, input);
      const { userId, subjectId } = cardPrincipal(context.principal);
      return confirmOnetimeRequest(byRealTime(context.world), { userId, tokenRequestId: subjectId, id, decision });
    },
  }),
);
