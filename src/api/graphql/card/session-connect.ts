/** Session connect: connectSession, revokeSession, unlinkAccount, and the queries linkedAccounts and cardSessions. */
import { z } from 'zod';
import type { CardSession } from '../../../../prisma/client.ts';
import { originSchema } from '../../../card/client-origin.ts';
import { type ConnectedSession, connectSession, PROOFS_LIMIT } from '../../../card/connect-session.ts';
import { type ShownAccount, shownAccounts } from '../../../card/linked-account.ts';
import { SIGNATURE_LENGTH } from '../../../card/onetime-request.ts';
import { revokeSession } from '../../../card/revoke-session.ts';
import { SIGN_IN_LENGTH } from '../../../card/sign-in-message.ts';
import { cardSessionsOf, countCardSessions, linkedAccountsOf } from '../../../card/store.ts';
import { unlinkAccount } from '../../../card/unlink-account.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { connectionSize } from '../server/connection.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { byId, walk } from '../server/lists/keyset.ts';
import { connectionOf } from '../server/lists/related-connection.ts';
import { byRealTime } from '../server/world.ts';
import { cardCaller, cardPrincipal } from './card-caller.ts';

const SESSIONS = 100;

export const LinkedAccountRef = builder.objectRef<ShownAccount>('LinkedAccount').implement({
  description: 'An account that its holder proved by a signed message.',
  fields: (t) => ({
    account: t.exposeString('account', { description: 'The account in CAIP-10 form.' }),
    chainId: t.exposeString('chainId', { description: 'The chain in CAIP-2 form.' }),
    address: t.exposeString('address', {
      description: 'Address of the account, in the canonical form of its chain family.',
    }),
    namespace: t.exposeString('namespace', { description: 'CAIP-2 namespace: eip155, solana or sui.' }),
    label: t.exposeString('label', { nullable: true, description: 'Display name, as given by the client.' }),
    linkedAt: t.expose('linkedAt', { type: 'DateTime', description: 'Time of the latest proof.' }),
  }),
});

/** The longest account name: a chain's, and a Sui address. */
const accountSchema = z.string().max(200, 'at most 200 characters');

const connectRules = defineRules({
  schema: z.object({
    clientOrigin: originSchema,
    accounts: z
      .array(
        z.object({
          account: accountSchema,
          message: z.string().max(SIGN_IN_LENGTH, `at most ${SIGN_IN_LENGTH} characters`),
          signature: z.string().min(1).max(SIGNATURE_LENGTH, `at most ${SIGNATURE_LENGTH} characters`),
          label: z.string().min(1).max(100, 'at most 100 characters').nullish(),
        }),
      )
      .max(PROOFS_LIMIT, `at most ${PROOFS_LIMIT} accounts`)
      .nullish(),
  }),
});

const AccountProofInput = builder.inputType('AccountProofInput', {
  description: 'A blockchain account, with proof that the user controls it.',
  fields: (t) => ({
    account: t.string({ required: true, description: 'The account in CAIP-10 form, such as eip155:1:0x….' }),
    message: t.string({
      required: true,
      description:
        'The signed sign-in message (EIP-4361, CAIP-122). Its nonce is the `jti` of the access token without hyphens, and its domain is the host of the client origin. It must have been issued at most 5 minutes ago.',
    }),
    signature: t.string({
      required: true,
      description: 'Signature of the message: hex for Ethereum, base58 for Solana, base64 for Sui.',
    }),
    label: t.string({ description: 'Display name for the account, 1 to 100 characters.' }),
  }),
});

const ConnectSessionInput = builder.inputType('ConnectSessionInput', {
  description: 'Input for opening a session.',
  extensions: carryRules(connectRules),
  fields: (t) => ({
    clientOrigin: t.string({ required: true, description: "The client's web origin, at most 255 characters." }),
    accounts: t.field({ type: [AccountProofInput], description: `Accounts to link, at most ${PROOFS_LIMIT}.` }),
  }),
});

const ConnectedSessionRef = builder.objectRef<ConnectedSession>('ConnectedSession').implement({
  description: 'A session that was just opened.',
  fields: (t) => ({
    sessionId: t.field({ type: 'UUID', description: 'The session.', resolve: ({ session }) => session.id }),
    sessionToken: t.string({
      description: 'A JWT of the audience `session-connect`, for the header `Authorization: Bearer`.',
      resolve: ({ issued }) => issued.token,
    }),
    tokenType: t.string({ description: 'The token type, which is always `Bearer`.', resolve: () => 'Bearer' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Expiration time, one day after the session was opened.',
      resolve: ({ session }) => session.expiresAt,
    }),
    accounts: t.field({
      type: [LinkedAccountRef],
      description: 'The accounts that the user has proved to this client.',
      resolve: ({ accounts }) => accounts,
    }),
  }),
});

const CardSessionRef = builder.objectRef<CardSession>('CardSession').implement({
  description: 'A session between a wallet user and one client.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    clientOrigin: t.exposeString('clientOrigin', { description: "The client's web origin." }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the session was opened.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Expiration time.' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'Time at which it was ended.' }),
  }),
});

const LinkedAccountsRef = builder.objectRef<{ accounts: ShownAccount[] }>('LinkedAccounts').implement({
  description: 'Linked accounts.',
  fields: (t) => ({
    accounts: t.field({
      type: [LinkedAccountRef],
      description: 'The linked accounts, at most 200.',
      resolve: ({ accounts }) => accounts,
    }),
  }),
});

builder.queryField('linkedAccounts', (t) =>
  t.field({
    type: LinkedAccountsRef,
    description: "The accounts that the user has proved to the session's client.",
    authScopes: { cardSession: true },
    resolve: async (_root, _args, context) => ({
      accounts: shownAccounts(await linkedAccountsOf(context.world.database, cardCaller(context.principal))),
    }),
  }),
);

builder.queryField('cardSessions', (t) =>
  t.field({
    type: [CardSessionRef],
    description: `The user's sessions, newest first, including ended ones; at most ${SESSIONS}.`,
    authScopes: { card: true },
    complexity: { field: 10, multiplier: 10 },
    resolve: (_root, _args, context) =>
      cardSessionsOf(context.world.database, cardPrincipal(context.principal).userId, {
        orderBy: { id: 'desc' },
        take: SESSIONS,
      }),
  }),
);

builder.queryField('cardSessionsConnection', (t) =>
  t.field({
    type: connectionOf(CardSessionRef),
    description: "The user's sessions, newest first, including ended ones; at most 100 per page.",
    authScopes: { card: true },
    complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
    args: t.arg.connectionArgs(),
    resolve: (_root, args, { principal, world }) => {
      const { userId } = cardPrincipal(principal);
      return walk(args, {
        keyset: byId('NEWEST'),
        read: (window) => cardSessionsOf(world.database, userId, window),
        count: () => countCardSessions(world.database, userId),
      });
    },
  }),
);

builder.mutationField('connectSession', (t) =>
  t.field({
    type: ConnectedSessionRef,
    description:
      'Opens a session between the user and one client, and links the accounts whose proofs are valid. VALIDATION_ERROR names every account whose proof is not; nothing is written in that case.',
    authScopes: { card: true },
    args: { input: t.arg({ type: ConnectSessionInput, required: true, description: 'The session.' }) },
    resolve: (_root, { input }, context) => {
      const { clientOrigin, accounts } = checked(context, connectRules, input);
      const { userId, tokenId } = cardPrincipal(context.principal);
      const parameters = { clientOrigin, accounts: accounts ?? [] };
      const call = { scopeId: userId, operation: 'connectSession', parameters };
      const idempotency = idempotencyOf(context, call);
      return connectSession(byRealTime(context.world), { userId, tokenId, ...parameters, idempotency });
    },
  }),
);

builder.mutationField('revokeSession', (t) =>
  t.field({
    type: CardSessionRef,
    description: 'Ends a session of the user at once.',
    authScopes: { card: true },
    args: { id: t.arg.id({ required: true, description: 'The session.' }) },
    resolve: (_root, { id }, context) =>
      revokeSession(byRealTime(context.world), { userId: cardPrincipal(context.principal).userId, id }),
  }),
);

const unlinkRules = defineRules({ schema: z.object({ account: accountSchema }) });

const UnlinkAccountInput = builder.inputType('UnlinkAccountInput', {
  description: 'Input for unlinking an account.',
  extensions: carryRules(unlinkRules),
  fields: (t) => ({ account: t.string({ required: true, description: 'The account in CAIP-10 form.' }) }),
});

builder.mutationField('unlinkAccount', (t) =>
  t.boolean({
    description:
      "Unlinks an account. With an access token, it is unlinked from every client; with a session token, from the session's client only. Always returns true.",
    authScopes: { card: true, cardSession: true },
    args: { input: t.arg({ type: UnlinkAccountInput, required: true, description: 'The account to unlink.' }) },
    resolve: async (_root, { input }, context) => {
      const { account } = checked(context, unlinkRules, input);
      await unlinkAccount(byRealTime(context.world), { caller: cardCaller(context.principal), account });
      return true;
    },
  }),
);
