/** A member's notifications: the type, the query notificationSettings and the mutation updateNotificationSettings. */
import type { MemberNotifications } from '../../../../prisma/client.ts';
import { isForOperators, mailLanguageOf, memberMailKinds } from '../../../events/mails/mail-kind.ts';
import {
  notificationsSchema,
  readNotifications,
  updateNotifications,
} from '../../../events/mails/update-notifications.ts';
import { builder } from '../server/builder.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { refusal } from '../server/scope-of.ts';
import { MailLanguageEnum } from './mail-settings.ts';

const NotificationKindEnum = builder.enumType('NotificationKind', {
  description: 'A kind of email notification to members.',
  values: {
    PAYMENT: { value: 'PAYMENT', description: 'A payment was captured.' },
    DISPUTE: {
      value: 'DISPUTE',
      description:
        'A dispute was opened or resolved, its deadline is approaching, or the payer has submitted evidence.',
    },
    RENEWAL_FAILED: {
      value: 'RENEWAL_FAILED',
      description: 'The first charge of a renewal failed, or the subscription became PAST_DUE.',
    },
    WEBHOOK_DISABLED: { value: 'WEBHOOK_DISABLED', description: 'A webhook endpoint was disabled.' },
    LOW_BALANCE: {
      value: 'LOW_BALANCE',
      description: 'A sending key is running out of gas funds. Sent only to members who operate the installation.',
    },
  } as const satisfies Record<(typeof memberMailKinds)[number], object>,
});

const NotificationSettingsRef = builder
  .objectRef<MemberNotifications & { isOperator: boolean }>('NotificationSettings')
  .implement({
    description:
      'Email notifications of the member, for all apps of the merchant. None by default. A member receives at most 10 emails an hour; further notifications are counted in one summary.',
    fields: (t) => ({
      kinds: t.field({
        type: [NotificationKindEnum],
        description: 'The kinds that the member receives.',
        resolve: ({ kinds }) => memberMailKinds.filter((kind) => kinds.includes(kind)),
      }),
      availableKinds: t.field({
        type: [NotificationKindEnum],
        description: 'The kinds that the member can receive.',
        resolve: ({ isOperator }) => memberMailKinds.filter((kind) => isOperator || !isForOperators(kind)),
      }),
      language: t.field({
        type: MailLanguageEnum,
        description: 'The language of the emails.',
        resolve: ({ language }) => mailLanguageOf(language) ?? 'en',
      }),
      updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
    }),
  });

builder.queryField('notificationSettings', (t) =>
  t.field({
    type: NotificationSettingsRef,
    description: 'Email notifications of the member who is logged in.',
    authScopes: { member: true },
    resolve: async (_root, _args, { principal, world }) => {
      if (principal.kind !== 'member') throw refusal(principal);
      const { memberId, isOperator } = principal;
      return { ...(await readNotifications(world, memberId)), isOperator };
    },
  }),
);

const rules = defineRules({ schema: notificationsSchema });
const UpdateNotificationSettingsInput = builder.inputType('UpdateNotificationSettingsInput', {
  description: 'Changes to the email notifications of the member. An absent field is unchanged.',
  extensions: carryRules(rules),
  fields: (t) => ({
    kinds: t.field({ type: [NotificationKindEnum], description: 'The kinds to receive from now on.' }),
    language: t.field({ type: MailLanguageEnum, description: 'The language of the emails.' }),
  }),
});

builder.mutationField('updateNotificationSettings', (t) =>
  t.field({
    type: NotificationSettingsRef,
    description: 'Changes the email notifications of the member who is logged in. Members of every role may call it.',
    authScopes: { member: true },
    args: { input: t.arg({ type: UpdateNotificationSettingsInput, required: true, description: 'The changes.' }) },
    resolve: async (_root, { input }, context) => {
      const { principal, world } = context;
      if (principal.kind !== 'member') throw refusal(principal);
      const { memberId, isOperator } = principal;
      const settings = checked(context, rules, input);
      return { ...(await updateNotifications(world, { memberId, settings })), isOperator };
    },
  }),
);
