import { z } from 'zod';
import { type Database, type MailSettings, transaction } from '../../../prisma/client.ts';
import { changedFields } from '../../auth/audit/audit-entry.ts';
import { recordChange } from '../../auth/audit/record-action.ts';
import { notFound } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { mailLanguages, payerMailKinds } from './mail-kind.ts';

const oneLine = (text: string) => !/\p{Cc}/u.test(text);

/** In a partial change, an absent field stays unchanged; null restores the app's name, or removes the reply address. */
export const mailSettingsSchema = z.object({
  kinds: z.array(z.enum(payerMailKinds)).max(payerMailKinds.length, 'each kind once').optional(),
  fromName: z
    .string()
    .min(1, 'at least 1 character')
    .max(100, 'at most 100 characters')
    .refine(oneLine, 'one line')
    .nullish(),
  replyTo: z.email('not an email address').max(254, 'at most 254 characters').nullish(),
  language: z.enum(mailLanguages).optional(),
  reminderDays: z.int().min(1, 'at least 1 day').max(30, 'at most 30 days').optional(),
});
export type MailSettingsInput = z.infer<typeof mailSettingsSchema>;

/** The settings of an app that has not changed any: no mail is sent to payers. */
export function defaultMailSettings(appId: string, now: Date): MailSettings {
  return {
    appId,
    kinds: [],
    fromName: null,
    replyTo: null,
    language: 'en',
    reminderDays: 3,
    remindersSince: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** Changes which mails an app sends to its payers. Throws NOT_FOUND for an app of another merchant. */
export async function updateMailSettings(
  world: { database: Database; clock: Clock },
  request: { scope: { merchantId: string; appId: string }; settings: MailSettingsInput },
): Promise<MailSettings> {
  const { scope, settings } = request;
  return await transaction(world.database, async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM app WHERE id = ${scope.appId}::uuid FOR UPDATE`;
    const app = await tx.app.findFirst({
      where: { id: scope.appId, merchantId: scope.merchantId },
      include: { mailSettings: true },
    });
    if (!app) throw notFound('app');
    const now = world.clock.now();
    const before = app.mailSettings ?? defaultMailSettings(app.id, now);
    const after = {
      ...before,
      ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
      ...(settings.kinds ? { kinds: payerMailKinds.filter((kind) => settings.kinds?.includes(kind)) } : {}),
    };
    const reminds = after.kinds.includes('RENEWAL_REMINDER');
    const isUnchanged = before.kinds.includes('RENEWAL_REMINDER') && before.reminderDays === after.reminderDays;
    const data = {
      ...after,
      remindersSince: reminds ? (isUnchanged ? before.remindersSince : now) : null,
      updatedAt: now,
    };
    const updated = await tx.mailSettings.upsert({ where: { appId: app.id }, create: data, update: data });
    await recordChange(tx, {
      action: 'mail_settings.updated',
      owner: { appId: app.id },
      target: { type: 'App', id: app.id },
      changed: changedFields(before, updated, Object.keys(settings)),
    });
    return updated;
  });
}
