import { type Database, type PayoutAcknowledgement, transaction } from '../../../prisma/client.ts';
import { presentActing } from '../../auth/audit/acting.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import { GatewayError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/identifier.ts';
import { recipientKey } from './claims-under-way.ts';
import { printAddress } from './payout-fields.ts';

/**
 * Acknowledges, on behalf of the current actor, what is undelivered to a recipient in a token at this moment; an earlier
 * acknowledgement is replaced, including its note. Returns the acknowledgement and the number of payouts that it covers. Throws
 * INVALID_STATE if nothing is undelivered.
 */
export async function acknowledgePayouts(
  { database, clock }: { database: Database; clock: Clock },
  { recipient, tokenKey, note }: { recipient: string; tokenKey: string; note: string },
): Promise<{ acknowledgement: PayoutAcknowledgement; payouts: number }> {
  return await transaction(database, async (tx) => {
    const open = await tx.creditedPayout.findMany({
      where: { recipient: recipient.toLowerCase(), tokenKey, deliveredAt: null },
      orderBy: { createdAt: 'desc' },
      select: { chainId: true, recipient: true, token: true, createdAt: true },
    });
    const [newest] = open;
    if (!newest) {
      throw new GatewayError('INVALID_STATE', `Nothing is undelivered to ${printAddress(recipient)} in ${tokenKey}.`);
    }
    const { createdAt: coversUntil, ...owner } = newest;
    const known = await tx.payoutAcknowledgement.findUnique({ where: { chainId_recipient_token: owner } });
    const acknowledgedBy = presentActing()?.actor?.name ?? '';
    const data = { coversUntil, note, acknowledgedBy, acknowledgedAt: clock.now() };
    const acknowledgement = await tx.payoutAcknowledgement.upsert({
      where: { chainId_recipient_token: owner },
      create: { id: newId(), ...owner, tokenKey, ...data },
      update: data,
    });
    await recordAction(tx, {
      action: 'payout.acknowledged',
      owner: 'INSTALLATION',
      target: { type: 'PayoutRecipient', id: recipientKey(owner) },
      before: known ? { note: known.note, coversUntil: known.coversUntil } : undefined,
      after: { note, coversUntil },
    });
    return { acknowledgement, payouts: open.length };
  });
}
