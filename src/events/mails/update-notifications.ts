import { z } from 'zod';
import { type Database, type MemberNotifications, transaction } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { mailLanguages, memberMailKinds } from './mail-kind.ts';

export const notificationsSchema = z.object({
  kinds: z.array(z.enum(memberMailKinds)).max(memberMailKinds.length, 'each kind once').optional(),
  language: z.enum(mailLanguages).optional(),
});

/** The settings of a member who has not changed any: nothing is received. */
function defaultNotifications(memberId: string, now: Date): MemberNotifications {
  return { memberId, kinds: [], language: 'en', createdAt: now, updatedAt: now };
}

/** Which mails the member receives. */
export async function readNotifications(
  { database, clock }: { database: Database; clock: Clock },
  memberId: string,
): Promise<MemberNotifications> {
  const settings = await database.memberNotifications.findUnique({ where: { memberId } });
  return settings ?? defaultNotifications(memberId, clock.now());
}

/** Changes which mails the member receives. An absent field stays unchanged. */
export async function updateNotifications(
  world: { database: Database; clock: Clock },
  request: { memberId: string; settings: z.infer<typeof notificationsSchema> },
): Promise<MemberNotifications> {
  const { memberId, settings } = request;
  return await transaction(world.database, async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM member WHERE id = ${memberId}::uuid FOR UPDATE`;
    const now = world.clock.now();
    const before = await tx.memberNotifications.findUnique({ where: { memberId } });
    const { kinds, language } = settings;
    const data = {
      ...(before ?? defaultNotifications(memberId, now)),
      ...(kinds === undefined ? {} : { kinds: memberMailKinds.filter((kind) => kinds.includes(kind)) }),
      ...(language === undefined ? {} : { language }),
      updatedAt: now,
    };
    return await tx.memberNotifications.upsert({ where: { memberId }, create: data, update: data });
  });
}
