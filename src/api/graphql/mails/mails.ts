/** The query mails, which lists emails that were sent and emails that could not be sent. */
import type { MailStatus } from '../../../../prisma/client.ts';
import { type MailError, mailErrorOf } from '../../../events/mails/mail-error.ts';
import { isMailKind } from '../../../events/mails/mail-kind.ts';
import { builder } from '../server/builder.ts';
import { DEFAULT_PAGE_SIZE, requireListSize } from '../server/limits.ts';
import { scopeOf } from '../server/scope-of.ts';
import { MailKindEnum } from './mail-settings.ts';

const MailStatusEnum = builder.enumType('MailStatus', {
  description: 'The delivery status of an email.',
  values: {
    QUEUED: { value: 'QUEUED', description: 'Waiting to be sent, or to be tried again at `nextTryAt`.' },
    HELD: { value: 'HELD', description: "Held for the member's next summary." },
    SENT: { value: 'SENT', description: 'Accepted by the mail server.' },
    SUMMARIZED: { value: 'SUMMARIZED', description: 'Counted in a summary.' },
    FAILED: {
      value: 'FAILED',
      description: 'Permanently rejected by the mail server, or all attempts failed. See `error`.',
    },
    CANCELLED: {
      value: 'CANCELLED',
      description:
        'Not sent, because the recipient was removed or unsubscribed after the email was queued. See `error`.',
    },
  } as const satisfies Record<MailStatus, object>,
});

const MailErrorEnum = builder.enumType('MailError', {
  description: 'Why an email has not been sent. The response of the mail server is in the log of the gateway.',
  values: {
    RECIPIENT_REJECTED: {
      value: 'RECIPIENT_REJECTED',
      description: "The mail server permanently rejected the recipient's address.",
    },
    MESSAGE_REJECTED: { value: 'MESSAGE_REJECTED', description: 'The mail server permanently rejected the email.' },
    TEMPORARILY_REJECTED: {
      value: 'TEMPORARILY_REJECTED',
      description: 'The mail server did not accept the email for now.',
    },
    SENDER_REJECTED: {
      value: 'SENDER_REJECTED',
      description: "The mail server rejected the gateway's login or sender address, which concerns all emails.",
    },
    SERVER_UNREACHABLE: {
      value: 'SERVER_UNREACHABLE',
      description: 'The mail server could not be reached or did not respond in time.',
    },
    RECIPIENT_REMOVED: {
      value: 'RECIPIENT_REMOVED',
      description: 'The member was removed, or no longer operates the installation.',
    },
    UNSUBSCRIBED: { value: 'UNSUBSCRIBED', description: 'The recipient has switched off emails of this kind.' },
    UNKNOWN: { value: 'UNKNOWN', description: 'Another reason.' },
  } as const satisfies Record<MailError, object>,
});

builder.prismaObject('Mail', {
  description: 'An email about an event.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    appId: t.expose('appId', { type: 'UUID', nullable: true, description: 'The app.' }),
    kind: t.field({
      type: MailKindEnum,
      description: 'The kind of email.',
      select: { kind: true },
      resolve: ({ kind }) => (isMailKind(kind) ? kind : 'MEMBER_SUMMARY'),
    }),
    recipient: t.exposeString('recipient', { description: 'The email address.' }),
    resourceId: t.expose('resourceId', {
      type: 'UUID',
      nullable: true,
      description: 'The payment intent, subscription or webhook endpoint that it is about.',
    }),
    status: t.expose('status', { type: MailStatusEnum, description: 'The delivery status.' }),
    tries: t.exposeInt('tries', { description: 'Number of attempts to send it, at most 8.' }),
    error: t.field({
      type: MailErrorEnum,
      nullable: true,
      description: 'Why the last attempt failed, or why the email was cancelled.',
      select: { error: true },
      resolve: ({ error }) => mailErrorOf(error),
    }),
    nextTryAt: t.expose('nextTryAt', { type: 'DateTime', nullable: true, description: 'Time of the next attempt.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which it was queued.' }),
    sentAt: t.expose('sentAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the mail server accepted it.',
    }),
  }),
});

builder.queryField('mails', (t) =>
  t.prismaField({
    type: ['Mail'],
    description: "The emails of the caller's apps, newest first. They are kept for a limited time, 90 days by default.",
    authScopes: { read: true },
    args: {
      appId: t.arg.id({ description: 'Only emails of this app.' }),
      status: t.arg({ type: MailStatusEnum, description: 'Only emails with this status.' }),
      first: t.arg.int({ required: true, defaultValue: DEFAULT_PAGE_SIZE, description: '1 to 100.' }),
    },
    complexity: ({ first }) => ({ field: 1, multiplier: Math.max(1, Math.min(first, 100)) }),
    resolve: async (query, _root, { appId, status, first }, context) => {
      requireListSize({ first });
      const scope = await scopeOf(context, { appId });
      return await context.database.mail.findMany({
        ...query,
        where: {
          ...(scope.appId === null ? {} : { appId: scope.appId }),
          ...(status ? { status } : {}),
        },
        orderBy: { id: 'desc' },
        take: first,
      });
    },
  }),
);
