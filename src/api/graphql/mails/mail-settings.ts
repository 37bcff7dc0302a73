/** Settings of emails to payers: the type, the queries mailSettings and mailPreview, and the mutation updateMailSettings. */
import type { MailSettings } from '../../../../prisma/client.ts';
import { notFound } from '../../../errors.ts';
import {
  isPayerMailKind,
  type MailKind,
  mailLanguageOf,
  type mailLanguages,
  type payerMailKinds,
} from '../../../events/mails/mail-kind.ts';
import type { PrintedMail } from '../../../events/mails/print-mail.ts';
import {
  defaultMailSettings,
  mailSettingsSchema,
  updateMailSettings,
} from '../../../events/mails/update-mail-settings.ts';
import { previewPath, printPreview } from '../../serve-mail-preview.ts';
import { builder } from '../server/builder.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { appScopeOf } from '../server/scope-of.ts';

export const MailLanguageEnum = builder.enumType('MailLanguage', {
  description: 'A language of emails.',
  values: {
    en: { value: 'en', description: 'English.' },
    de: { value: 'de', description: 'German.' },
  } as const satisfies Record<(typeof mailLanguages)[number], object>,
});

const PayerMailKindEnum = builder.enumType('PayerMailKind', {
  description: 'A kind of email to a payer.',
  values: {
    RECEIPT: { value: 'RECEIPT', description: 'A payment was captured.' },
    REFUND: { value: 'REFUND', description: 'A payment was refunded, with the reason and the amount.' },
    RENEWAL_REMINDER: { value: 'RENEWAL_REMINDER', description: 'A subscription renews in `reminderDays` days.' },
    RENEWAL_FAILED: {
      value: 'RENEWAL_FAILED',
      description:
        'The first charge of a renewal failed, or the subscription became PAST_DUE, with a link to pay the invoice.',
    },
    DISPUTE: {
      value: 'DISPUTE',
      description:
        'A dispute was opened or resolved, its deadline is approaching, or the merchant has submitted evidence.',
    },
  } as const satisfies Record<(typeof payerMailKinds)[number], object>,
});

export const MailKindEnum = builder.enumType('MailKind', {
  description: 'A kind of email about an event. Kinds that begin with MEMBER_ are sent to members of the merchant.',
  values: {
    RECEIPT: { value: 'RECEIPT', description: 'To the payer: a payment was captured.' },
    REFUND: { value: 'REFUND', description: 'To the payer: a payment was refunded.' },
    RENEWAL_REMINDER: { value: 'RENEWAL_REMINDER', description: 'To the payer: a subscription renews soon.' },
    RENEWAL_FAILED: { value: 'RENEWAL_FAILED', description: 'To the payer: a renewal could not be charged.' },
    DISPUTE: {
      value: 'DISPUTE',
      description:
        'To the payer: a dispute was opened or resolved, its deadline is approaching, or the merchant has submitted evidence.',
    },
    MEMBER_PAYMENT: { value: 'MEMBER_PAYMENT', description: 'To a member: a payment was captured.' },
    MEMBER_DISPUTE: {
      value: 'MEMBER_DISPUTE',
      description:
        'To a member: a dispute was opened or resolved, its deadline is approaching, or the payer has submitted evidence.',
    },
    MEMBER_RENEWAL_FAILED: {
      value: 'MEMBER_RENEWAL_FAILED',
      description: 'To a member: a renewal could not be charged.',
    },
    MEMBER_WEBHOOK_DISABLED: {
      value: 'MEMBER_WEBHOOK_DISABLED',
      description: 'To a member: a webhook endpoint was disabled.',
    },
    MEMBER_LOW_BALANCE: {
      value: 'MEMBER_LOW_BALANCE',
      description: 'To an operator: a sending key is running out of gas funds.',
    },
    MEMBER_SUMMARY: { value: 'MEMBER_SUMMARY', description: 'To a member: the number of further notifications.' },
  } as const satisfies Record<MailKind, object>,
});

const MailSettingsRef = builder.objectRef<MailSettings>('MailSettings').implement({
  description: 'The emails that an app sends to its payers. None by default.',
  fields: (t) => ({
    appId: t.expose('appId', { type: 'UUID', description: 'The app.' }),
    kinds: t.field({
      type: [PayerMailKindEnum],
      description: 'The kinds that are sent.',
      resolve: ({ kinds }) => kinds.filter(isPayerMailKind),
    }),
    fromName: t.exposeString('fromName', {
      nullable: true,
      description: 'The name of the sender. Null if the name of the app is used.',
    }),
    replyTo: t.exposeString('replyTo', {
      nullable: true,
      description: 'Email address to which replies are sent. Null if none is set.',
    }),
    language: t.field({
      type: MailLanguageEnum,
      description: 'The language for customers without a locale.',
      resolve: ({ language }) => mailLanguageOf(language) ?? 'en',
    }),
    reminderDays: t.exposeInt('reminderDays', { description: 'Days before a renewal when RENEWAL_REMINDER is sent.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

builder.queryField('mailSettings', (t) =>
  t.field({
    type: MailSettingsRef,
    description: 'Which emails an app sends to its payers.',
    authScopes: { read: true },
    args: { appId: t.arg.id({ description: 'Required if the credential covers several apps.' }) },
    resolve: async (_root, { appId }, context) => {
      const scope = await appScopeOf(context, { appId });
      const settings = await context.database.mailSettings.findFirst({ where: { appId: scope.appId } });
      return settings ?? defaultMailSettings(scope.appId, context.world.clock.now());
    },
  }),
);

const rules = defineRules({ schema: mailSettingsSchema });
const UpdateMailSettingsInput = builder.inputType('UpdateMailSettingsInput', {
  description: 'Changes to the settings of emails to payers. An absent field is unchanged.',
  extensions: carryRules(rules),
  fields: (t) => ({
    kinds: t.field({ type: [PayerMailKindEnum], description: 'The kinds to send from now on.' }),
    fromName: t.string({ description: 'One line of 1 to 100 characters. Null to use the name of the app.' }),
    replyTo: t.string({ description: 'An email address of at most 254 characters. Null for none.' }),
    language: t.field({ type: MailLanguageEnum, description: 'The language for customers without a locale.' }),
    reminderDays: t.int({ description: 'Days before a renewal, 1 to 30.' }),
  }),
});

builder.mutationField('updateMailSettings', (t) =>
  t.field({
    type: MailSettingsRef,
    description:
      'Changes which emails an app sends to its payers. Nothing is sent about events before the change, or about renewals whose reminder would have been due before it.',
    authScopes: { write: true },
    args: {
      appId: t.arg.id({ description: 'Required if the credential covers several apps.' }),
      input: t.arg({ type: UpdateMailSettingsInput, required: true, description: 'The changes.' }),
    },
    resolve: async (_root, { appId, input }, context) => {
      const settings = checked(context, rules, input);
      return await updateMailSettings(context.world, { scope: await appScopeOf(context, { appId }), settings });
    },
  }),
);

const MailPreviewRef = builder.objectRef<PrintedMail & { url: string }>('MailPreview').implement({
  description: 'An email with example content.',
  fields: (t) => ({
    subject: t.exposeString('subject', { description: 'The subject.' }),
    html: t.exposeString('html', { description: 'The HTML part, a complete document.' }),
    text: t.exposeString('text', { description: 'The text part.' }),
    url: t.exposeString('url', {
      description: 'Path of a page of this installation that shows the HTML part. It begins with /mail-preview/.',
    }),
  }),
});

builder.queryField('mailPreview', (t) =>
  t.field({
    type: MailPreviewRef,
    description: 'Renders an email with example content and the branding of the app.',
    authScopes: { read: true },
    args: {
      appId: t.arg.id({ description: 'Required if the credential covers several apps.' }),
      kind: t.arg({ type: MailKindEnum, required: true, description: 'The kind of email.' }),
      language: t.arg({
        type: MailLanguageEnum,
        description: 'The language. Defaults to the language in the settings.',
      }),
    },
    resolve: async (_root, { appId, kind, language }, context) => {
      const { world } = context;
      const scope = await appScopeOf(context, { appId });
      const app = await context.database.app.findFirst({
        where: { id: scope.appId },
        include: { mailSettings: true },
      });
      if (!app) throw notFound('app');
      const chosen = language ?? mailLanguageOf(app.mailSettings?.language) ?? 'en';
      const url = previewPath(world, { appId: app.id, kind, language: chosen });
      return { ...printPreview(world, { app, kind, language: chosen }), url };
    },
  }),
);
