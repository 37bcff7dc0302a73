import { type Database, type PayoutAcknowledgement, transaction } from '../../../prisma/client.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import { GatewayError } from '../../errors.ts';
import { recipientKey } from './claims-under-way.ts';
import { printAddress } from './payout-fields.ts';

/**
 * Removes the acknowledgement of a recipient in a token, so that its undelivered payouts raise an alarm again. Throws
 * INVALID_STATE if there is none.
 */
export async function unacknowledgePayouts(
  { database }: { database: Database },
  { recipient, tokenKey }: { recipient: string; tokenKey: string },
): Promise<PayoutAcknowledgement> {
  return await transaction(database, async (tx) => {
    const known = await tx.payoutAcknowledgement.findFirst({ where: { recipient: recipient.toLowerCase(), tokenKey } });
    if (!known) {
      throw new GatewayError(
        'INVALID_STATE',
        `Payouts to ${printAddress(recipient)} in ${tokenKey} are not acknowledged.`,
      );
    }
    await tx.payoutAcknowledgement.delete({ where: { id: known.id } });
    await recordAction(tx, {
      action: 'payout.unacknowledged',
      owner: 'INSTALLATION',
      target: { type: 'PayoutRecipient', id: recipientKey(known) },
      before: { note: known.note, coversUntil: known.coversUntil },
    });
    return known;
  });
}
