import { type Database, transaction } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Subscriber } from './mail-links.ts';

/**
 * Ends a customer's reminders, for the customer's address and app, or one kind of a member's mails (ALL for every kind). Idempotent, and
 * also succeeds for a customer or member that no longer exists.
 */
export async function unsubscribe(
  { database, clock }: { database: Database; clock: Clock },
  { who, id, kind }: Subscriber,
): Promise<void> {
  await transaction(database, async (tx) => {
    if (who === 'customer') {
      const customer = await tx.customerAccount.findUnique({ where: { id } });
      if (!customer?.email) return;
      const row = { appId: customer.appId, email: customer.email.toLowerCase(), createdAt: clock.now() };
      await tx.mailOptOut.createMany({ data: row, skipDuplicates: true });
      return;
    }
    await tx.$queryRaw`SELECT 1 FROM member_notifications WHERE member_id = ${id}::uuid FOR UPDATE`;
    const settings = await tx.memberNotifications.findUnique({ where: { memberId: id } });
    if (!settings) return;
    const kinds = kind === 'ALL' ? [] : settings.kinds.filter((received) => received !== kind);
    await tx.memberNotifications.update({ where: { memberId: id }, data: { kinds, updatedAt: clock.now() } });
  });
}
