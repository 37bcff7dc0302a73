/** What card surfaces show: walletProfile, updateWalletProfile and walletActivity. */
import { z } from 'zod';
import type { CardUser } from '../../../../prisma/client.ts';
import { originSchema } from '../../../card/client-origin.ts';
import { type ShownAccount, shownAccounts } from '../../../card/linked-account.ts';
import { ACTIVITY_LIMIT, type ActivityPage, readWalletActivity } from '../../../card/read-wallet-activity.ts';
import { linkedAccountsOf, requireUser } from '../../../card/store.ts';
import { builder } from '../server/builder.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { byRealTime } from '../server/world.ts';
import { cardCaller, cardPrincipal } from './card-caller.ts';
import { OnetimeRequestRef } from './onetime-connect.ts';
import { LinkedAccountRef } from './session-connect.ts';

const DEFAULT_LIMIT = 20;

type Profile = { user: CardUser; accounts: ShownAccount[] };

const WalletProfileRef = builder.objectRef<Profile>('WalletProfile').implement({
  description: 'Profile of a wallet user.',
  fields: (t) => ({
    email: t.string({ description: 'Email address, in lower case.', resolve: ({ user }) => user.email }),
    displayName: t.string({
      nullable: true,
      description: 'Name of the user.',
      resolve: ({ user }) => user.displayName,
    }),
    accounts: t.field({
      type: [LinkedAccountRef],
      description: "Linked accounts. With a session token, only those that were proved to the session's client.",
      resolve: ({ accounts }) => accounts,
    }),
  }),
});

builder.queryField('walletProfile', (t) =>
  t.field({
    type: WalletProfileRef,
    description: 'The wallet user.',
    authScopes: { card: true, cardSession: true },
    resolve: async (_root, _args, { world, principal }) => {
      const caller = cardCaller(principal);
      const [user, accounts] = await Promise.all([
        requireUser(world.database, caller),
        linkedAccountsOf(world.database, caller),
      ]);
      return { user, accounts: shownAccounts(accounts) };
    },
  }),
);

const profileRules = defineRules({
  schema: z.object({
    displayName: z.string().min(1, 'at least 1 character').max(100, 'at most 100 characters').nullish(),
  }),
});

const UpdateWalletProfileInput = builder.inputType('UpdateWalletProfileInput', {
  description: 'Changes to a profile.',
  extensions: carryRules(profileRules),
  fields: (t) => ({
    displayName: t.string({ description: 'Name of the user, 1 to 100 characters. Null clears it.' }),
  }),
});

builder.mutationField('updateWalletProfile', (t) =>
  t.field({
    type: WalletProfileRef,
    description: "Changes the user's profile.",
    authScopes: { card: true },
    args: { input: t.arg({ type: UpdateWalletProfileInput, required: true, description: 'The new profile.' }) },
    resolve: async (_root, { input }, context) => {
      const { displayName } = checked(context, profileRules, input);
      const { database } = context.world;
      const { userId } = cardPrincipal(context.principal);
      const data = displayName === undefined ? {} : { displayName };
      const user = await database.cardUser.update({ where: { id: userId }, data });
      return { user, accounts: shownAccounts(await linkedAccountsOf(database, cardCaller(context.principal))) };
    },
  }),
);

const WalletActivityRef = builder.objectRef<ActivityPage>('WalletActivity').implement({
  description: 'A page of signing requests, newest first.',
  fields: (t) => ({
    items: t.field({ type: [OnetimeRequestRef], description: 'The requests.', resolve: ({ items }) => items }),
    nextCursor: t.field({
      type: 'UUID',
      nullable: true,
      description: 'Cursor of the next page. Null if there are no more requests.',
      resolve: ({ nextCursor }) => nextCursor,
    }),
  }),
});

const activityRules = defineRules({
  schema: z.object({
    clientOrigin: originSchema.nullish(),
    limit: z.int().min(1, 'at least 1').max(ACTIVITY_LIMIT, `at most ${ACTIVITY_LIMIT}`).nullish(),
    cursor: z.guid('must be a UUID').nullish(),
  }),
});

builder.queryField('walletActivity', (t) =>
  t.field({
    type: WalletActivityRef,
    description: "The user's recent signing requests. With a session token, only those of the session's client.",
    authScopes: { card: true, cardSession: true },
    complexity: ({ limit }) => ({ field: 5, multiplier: limit ?? DEFAULT_LIMIT }),
    args: {
      clientOrigin: t.arg.string({ description: 'Only requests of this client.' }),
      limit: t.arg.int({ description: `1 to ${ACTIVITY_LIMIT}. Defaults to ${DEFAULT_LIMIT}.` }),
      cursor: t.arg({ type: 'UUID', description: 'The `nextCursor` of the previous page.' }),
    },
    resolve: (_root, args, context) => {
      const { clientOrigin, limit, cursor } = checked(context, activityRules, args);
      const caller = cardCaller(context.principal);
      return readWalletActivity(byRealTime(context.world), {
        caller,
        clientOrigin,
        limit: limit ?? DEFAULT_LIMIT,
        cursor,
      });
    },
  }),
);
