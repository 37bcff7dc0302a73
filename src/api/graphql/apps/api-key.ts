/** API keys: the type, and the mutations createApiKey, rotateApiKey and revokeApiKey. */
import { z } from 'zod';
import { createApiKey, type IssuedApiKey } from '../../../auth/create-api-key.ts';
import { revokeApiKey } from '../../../auth/revoke-api-key.ts';
import { rotateApiKey } from '../../../auth/rotate-api-key.ts';
import { builder } from '../server/builder.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { appScopeOf, scopeOf } from '../server/scope-of.ts';
import { byRealTime } from '../server/world.ts';
import { AppRef } from './app.ts';

const ROTATION_LIMIT_SECONDS = 7 * 86_400;
const ROTATION_SECONDS = 86_400;
const KEYS = 100;

const ApiKeyKindEnum = builder.enumType('ApiKeyKind', {
  description: 'What a key may do.',
  values: {
    SECRET: { value: 'SECRET', description: 'Everything, for its app.' },
    PUBLISHABLE: { value: 'PUBLISHABLE', description: 'Prices and balances.' },
  } as const,
});

export const ApiKeyRef = builder.prismaObject('ApiKey', {
  description: 'A key of an app. The key itself is shown once, when it is made.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'UUIDv7.' }),
    appId: t.expose('appId', { type: 'UUID', description: 'The app.' }),
    kind: t.expose('kind', { type: ApiKeyKindEnum, description: 'What it may do.' }),
    name: t.exposeString('name', { nullable: true, description: 'What it is for, in your words.' }),
    prefix: t.exposeString('prefix', { description: 'Its first characters, to be told from others.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true, description: 'Last use, to the minute.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it ends by itself.' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was ended.' }),
  }),
});

const IssuedApiKeyRef = builder.objectRef<IssuedApiKey>('IssuedApiKey').implement({
  description: 'A key that was just made.',
  fields: (t) => ({
    apiKey: t.field({ type: ApiKeyRef, description: 'The key’s record.', resolve: (issued) => issued.key }),
    secret: t.exposeString('secret', { description: 'The key itself. It is shown only here.' }),
  }),
});

const createRules = defineRules({
  schema: z.object({
    appId: z.string().nullish(),
    kind: z.enum(['SECRET', 'PUBLISHABLE']),
    name: z.string().min(1, 'at least 1 character').max(255, 'at most 255 characters').nullish(),
  }),
});

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'A key to be made.',
  extensions: carryRules(createRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Needed where the credential covers several apps.' }),
    kind: t.field({ type: ApiKeyKindEnum, required: true, description: 'What it may do.' }),
    name: t.string({ description: 'What it is for, 1 to 255 characters.' }),
  }),
});

const rotateRules = defineRules({
  schema: z.object({
    overlapSeconds: z
      .int()
      .min(0, 'at least 0')
      .max(ROTATION_LIMIT_SECONDS, `at most ${ROTATION_LIMIT_SECONDS}`)
      .nullish(),
  }),
});

const RotateApiKeyInput = builder.inputType('RotateApiKeyInput', {
  description: 'How a key is replaced.',
  extensions: carryRules(rotateRules),
  fields: (t) => ({
    overlapSeconds: t.int({ description: 'How long the old key still works: 0 to 604800 seconds, a day by default.' }),
  }),
});

builder.prismaObjectField(AppRef, 'apiKeys', (t) =>
  t.relation('apiKeys', {
    description: 'Its keys, newest first, ended ones too, at most 100.',
    authScopes: { read: true },
    query: { orderBy: { id: 'desc' }, take: KEYS },
  }),
);

builder.mutationField('createApiKey', (t) =>
  t.field({
    type: IssuedApiKeyRef,
    description: 'Makes a key of an app; it is shown once.',
    authScopes: { write: true },
    args: { input: t.arg({ type: CreateApiKeyInput, required: true, description: 'The key.' }) },
    resolve: async (_root, { input }, context) => {
      const { appId, kind, name } = checked(context, createRules, input);
      const scope = await appScopeOf(context, { appId });
      const call = { scopeId: scope.appId, operation: 'createApiKey', parameters: { kind, name } };
      return createApiKey(context.world, {
        scope,
        kind,
        name: name ?? null,
        idempotency: idempotencyOf(context, call),
      });
    },
  }),
);

builder.mutationField('rotateApiKey', (t) =>
  t.field({
    type: IssuedApiKeyRef,
    description: 'Makes a successor of a key; the old one works for a while more.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: 'The key that is replaced.' }),
      input: t.arg({ type: RotateApiKeyInput, description: 'How.' }),
    },
    resolve: async (_root, { id, input }, context) => {
      const overlapSeconds = checked(context, rotateRules, input ?? {}).overlapSeconds ?? ROTATION_SECONDS;
      const holder = await scopeOf(context);
      const idempotency = idempotencyOf(context, {
        scopeId: holder.appId ?? holder.merchantId,
        operation: 'rotateApiKey',
        parameters: { id, overlapSeconds },
      });
      return rotateApiKey(byRealTime(context.world), { holder, id, overlapSeconds, idempotency });
    },
  }),
);

builder.mutationField('revokeApiKey', (t) =>
  t.field({
    type: ApiKeyRef,
    description: 'Ends a key at once, and whatever it holds open within two seconds.',
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: 'The key.' }) },
    resolve: async (_root, { id }, context) =>
      revokeApiKey(byRealTime(context.world), { holder: await scopeOf(context), id }),
  }),
);
