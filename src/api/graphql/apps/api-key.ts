/** API keys: the type, and the mutations createApiKey, rotateApiKey and revokeApiKey. */
import { z } from 'zod';
import { createApiKey, type IssuedApiKey } from '../../../auth/create-api-key.ts';
import { type KeyScope, keyScopes, scopesOfKey } from '../../../auth/keys/key-scope.ts';
import { NETWORKS_LIMIT, parseNetwork } from '../../../auth/keys/network.ts';
import { revokeApiKey } from '../../../auth/revoke-api-key.ts';
import { rotateApiKey } from '../../../auth/rotate-api-key.ts';
import { builder, NodeRef } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { byId } from '../server/lists/keyset.ts';
import { connectionOf, relatedConnection } from '../server/lists/related-connection.ts';
import { appScopeOf, scopeOf } from '../server/scope-of.ts';
import { byRealTime } from '../server/world.ts';
import { AppRef } from './app.ts';

const ROTATION_LIMIT_SECONDS = 7 * 86_400;
const ROTATION_SECONDS = 86_400;
const KEYS = 100;

const ApiKeyKindEnum = builder.enumType('ApiKeyKind', {
  description: 'What a key may do.',
  values: {
    SECRET: { value: 'SECRET', description: 'May do everything for its app, unless it is restricted by scopes.' },
    PUBLISHABLE: {
      value: 'PUBLISHABLE',
      description: 'May read prices and balances. Safe to publish in a web page or app.',
    },
  } as const,
});

const scopeWords: Readonly<Record<KeyScope, string>> = {
  READ: 'Every query and subscription except the audit log.',
  PAYMENTS_WRITE:
    'Create and capture payment intents; create, prepare, confirm and expire checkout sessions; submit disputes and evidence.',
  REFUNDS: 'Return money to payers: refund or cancel a payment, concede a dispute.',
  CUSTOMERS_WRITE: 'Create and change customers and their wallets.',
  CATALOG_WRITE: 'Create and change product plans, prices, tax rates, coupons and payment links.',
  SUBSCRIPTIONS_WRITE: 'Create, pause, resume, change and cancel subscriptions; apply and remove their coupons.',
  USAGE_WRITE: 'Record the usage of metered subscriptions.',
  X402: 'Issue payment requirements for paid API calls (x402), and verify and settle their payments.',
  INVOICES_WRITE: 'Create, open, send and void invoices.',
  WEBHOOKS: 'Create, change and delete webhook endpoints, rotate their secrets, and redeliver events.',
  SETTINGS: 'Change the settings of the app, including its payout addresses and emails.',
  KEYS: 'Create, rotate and revoke API keys, but none with more permissions than its own.',
  AUDIT_LOG: 'Read the audit log of the app.',
  TEST_CLOCK: 'Advance the test clock.',
};

export const ApiKeyScopeEnum = builder.enumType('ApiKeyScope', {
  description: 'What a restricted key may do. Every operation that needs a credential is covered by exactly one scope.',
  values: Object.fromEntries(keyScopes.map((scope) => [scope, { value: scope, description: scopeWords[scope] }])) as {
    [Scope in KeyScope]: { value: Scope; description: string };
  },
});

export const ApiKeyRef = builder.prismaObject('ApiKey', {
  description: 'An API key of an app. The key itself is returned only when it is created.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    appId: t.expose('appId', { type: 'UUID', description: 'The app to which the key belongs.' }),
    kind: t.expose('kind', { type: ApiKeyKindEnum, description: 'The kind of key, which determines what it may do.' }),
    name: t.exposeString('name', {
      nullable: true,
      description: "The merchant's name for the key, such as its purpose.",
    }),
    scopes: t.field({
      type: [ApiKeyScopeEnum],
      nullable: true,
      description: 'What a restricted key may do. Null for a key with all permissions of its kind.',
      resolve: (key) => {
        const scopes = scopesOfKey(key);
        return scopes && [...scopes];
      },
    }),
    allowedNetworks: t.stringList({
      nullable: true,
      description: 'Networks from which the key may be used, in CIDR notation. Null if it may be used from anywhere.',
      resolve: ({ allowedNetworks }) => (allowedNetworks.length === 0 ? null : allowedNetworks),
    }),
    prefix: t.exposeString('prefix', { description: 'The first characters of the key, which identify it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last use, to the minute. Null if the key was never used.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Expiration time. Null if the key does not expire.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the key was revoked. Null if it was not.',
    }),
  }),
});

const IssuedApiKeyRef = builder.objectRef<IssuedApiKey>('IssuedApiKey').implement({
  description: 'A key that was just created.',
  fields: (t) => ({
    apiKey: t.field({ type: ApiKeyRef, description: "The key's record.", resolve: (issued) => issued.key }),
    secret: t.exposeString('secret', { description: 'The key itself. Returned only when it is created.' }),
  }),
});

const createRules = defineRules({
  schema: z.object({
    appId: z.string().nullish(),
    kind: z.enum(['SECRET', 'PUBLISHABLE']),
    name: z.string().min(1, 'at least 1 character').max(255, 'at most 255 characters').nullish(),
    scopes: z
      .array(z.enum(keyScopes))
      .min(1, 'at least one scope; omit the field to allow all scopes')
      .refine((scopes) => new Set(scopes).size === scopes.length, 'contains a scope twice')
      .nullish(),
    allowedNetworks: z
      .array(z.string().transform(readNetwork))
      .min(1, 'at least one network; omit the field to allow any network')
      .max(NETWORKS_LIMIT, `at most ${NETWORKS_LIMIT} networks`)
      .nullish(),
    expiresAt: z.date().nullish(),
  }),
});

function readNetwork(text: string, context: z.RefinementCtx): string {
  const network = parseNetwork(text);
  if (network !== null) return network;
  context.addIssue({ code: 'custom', message: 'is not a network, such as 203.0.113.0/24 or 2001:db8::/32' });
  return z.NEVER;
}

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'Input for creating an API key.',
  extensions: carryRules(createRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Required if the credential covers several apps.' }),
    kind: t.field({
      type: ApiKeyKindEnum,
      required: true,
      description: 'The kind of key, which determines what it may do.',
    }),
    name: t.string({ description: 'Your name for the key, 1 to 255 characters.' }),
    scopes: t.field({
      type: [ApiKeyScopeEnum],
      description: 'Restricts a secret key to these scopes. By default it may do everything for its app.',
    }),
    allowedNetworks: t.stringList({
      description: `Networks from which the key may be used, such as \`203.0.113.0/24\` or \`2001:db8::/32\`; at most ${NETWORKS_LIMIT}. By default it may be used from anywhere.`,
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'Expiration time. By default the key does not expire.' }),
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
    overlapSeconds: t.int({
      description: 'Number of seconds for which the old key remains valid, 0 to 604800. Defaults to one day.',
    }),
  }),
});

builder.prismaObjectField(AppRef, 'apiKeys', (t) =>
  t.relation('apiKeys', {
    description: 'API keys of the app, newest first, including revoked and expired keys; at most 100.',
    authScopes: { read: true },
    query: { orderBy: { id: 'desc' }, take: KEYS },
  }),
);

relatedConnection(AppRef, 'apiKeysConnection', {
  model: 'App',
  relation: 'apiKeys',
  type: connectionOf(ApiKeyRef),
  selects: 'ApiKey',
  keyset: byId('NEWEST'),
  description: 'API keys of the app, newest first, including revoked and expired keys.',
  authScopes: { read: true },
});

builder.mutationField('createApiKey', (t) =>
  t.field({
    type: IssuedApiKeyRef,
    description:
      'Creates a key of an app. The key is returned only by this mutation. AUTHORIZATION_ERROR if a key would create one with more permissions than its own.',
    authScopes: { write: true },
    args: { input: t.arg({ type: CreateApiKeyInput, required: true, description: 'The key.' }) },
    resolve: async (_root, { input }, context) => {
      const { appId, ...wanted } = checked(context, createRules, input);
      const scope = await appScopeOf(context, { appId });
      const call = { scopeId: scope.appId, operation: 'createApiKey', parameters: wanted };
      const idempotency = idempotencyOf(context, call);
      return createApiKey(byRealTime(context.world), { scope, ...wanted, maker: makerOf(context), idempotency });
    },
  }),
);

builder.mutationField('rotateApiKey', (t) =>
  t.field({
    type: IssuedApiKeyRef,
    description: 'Creates a key that replaces another one. The old key remains valid for a limited time.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: 'The key that is replaced.' }),
      input: t.arg({ type: RotateApiKeyInput, description: 'How the key is replaced.' }),
    },
    resolve: async (_root, { id, input }, context) => {
      const overlapSeconds = checked(context, rotateRules, input ?? {}).overlapSeconds ?? ROTATION_SECONDS;
      const holder = await scopeOf(context);
      const idempotency = idempotencyOf(context, {
        scopeId: holder.appId ?? holder.merchantId,
        operation: 'rotateApiKey',
        parameters: { id, overlapSeconds },
      });
      return rotateApiKey(byRealTime(context.world), {
        holder,
        id,
        overlapSeconds,
        maker: makerOf(context),
        idempotency,
      });
    },
  }),
);

builder.mutationField('revokeApiKey', (t) =>
  t.field({
    type: ApiKeyRef,
    description:
      'Revokes a key. Writes are refused at once, reads in other processes within a second, and open streams are closed within two seconds.',
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: 'The key.' }) },
    resolve: async (_root, { id }, context) => revokeApiKey(context.world, { holder: await scopeOf(context), id }),
  }),
);

/** Returns the calling key, whose rights a key that it creates must not exceed. */
function makerOf({ principal }: Pick<GraphqlContext, 'principal'>): { apiKeyId: string } | null {
  return principal.kind === 'apiKey' ? { apiKeyId: principal.apiKeyId } : null;
}
