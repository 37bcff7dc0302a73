import { type Database, transaction } from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import type { SenderBalance } from '../../operations/read-senders.ts';
import type { Clock } from '../../platform/clock.ts';
import { printUnits } from '../../prices/quote.ts';
import { enqueueMails, type NewMail } from './enqueue-mails.ts';
import { mailLanguageOf } from './mail-kind.ts';

type ReportWorld = {
  database: Database;
  clock: Clock;
  registry: Registry;
  config: { mail: { operator?: string | undefined } };
};

/**
 * Queues mails about sending keys with a low balance for gas, at most one per day for each key, chain and recipient: to OPERATOR_EMAIL, and
 * to members who have joined, operate the installation and have switched it on.
 */
export async function reportLowBalances(world: ReportWorld, balances: readonly SenderBalance[]): Promise<void> {
  const low = balances.filter(({ isLow }) => isLow);
  if (low.length === 0) return;
  const { database, clock, registry } = world;
  const members = await database.member.findMany({
    where: {
      removedAt: null,
      joinedAt: { not: null },
      isOperator: true,
      notifications: { kinds: { has: 'LOW_BALANCE' } },
    },
    include: { notifications: true },
  });
  const { operator } = world.config.mail;
  const recipients = [
    ...members.map(({ id, email, notifications }) => ({ memberId: id, email, language: notifications?.language })),
    ...(operator === undefined || members.some(({ email }) => email === operator)
      ? []
      : [{ memberId: null, email: operator, language: 'en' }]),
  ];
  if (recipients.length === 0) return;
  const now = clock.now();
  const mails = low.flatMap(({ chainId, sender, left, decimals }) => {
    const chain = registry.chain(chainId);
    const content = {
      appName: null,
      chain: chain?.name ?? String(chainId),
      sender,
      ...(left === null ? {} : { balance: `${printUnits(left, decimals)} ${chain?.native.symbol ?? ''}`.trim() }),
    };
    return recipients.map(
      ({ memberId, email, language }): NewMail => ({
        appId: null,
        memberId,
        source: `low-balance:${chainId}:${sender}:${now.toISOString().slice(0, 10)}`,
        kind: 'MEMBER_LOW_BALANCE',
        recipient: email,
        language: mailLanguageOf(language) ?? 'en',
        resourceId: null,
        content,
      }),
    );
  });
  await transaction(database, (tx) => enqueueMails(tx, { mails, now }));
}
