import type { PaymentIntent } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { addJob } from '../../platform/jobs.ts';
import type { ActionWorld, PaymentRequest } from '../actions/action-world.ts';
import { lockPayment } from '../actions/lock-payment.ts';
import { deliverPayoutsJob } from '../jobs.ts';
import { deliveryKey } from './deliver-payouts.ts';

/**
 * Attempts the delivery of a payment's undelivered payouts now rather than when it is next due. It pays only the credited recipients, and
 * moves no other money. Throws INVALID_STATE if nothing is undelivered.
 */
export async function retryDelivery(world: ActionWorld, request: PaymentRequest): Promise<PaymentIntent> {
  return await idempotently(world.database, request.idempotency, (write) =>
    write(async (tx) => {
      const intent = await lockPayment(tx, request);
      const open = { paymentIntentId: intent.id, deliveredAt: null };
      const recipients = await tx.creditedPayout.findMany({
        where: open,
        distinct: ['chainId', 'recipient', 'token'],
        select: { chainId: true, recipient: true, token: true },
      });
      if (recipients.length === 0) {
        throw new GatewayError('INVALID_STATE', 'All payouts of this payment have been delivered.', {
          meta: { paymentIntentId: intent.id },
        });
      }
      await tx.creditedPayout.updateMany({ where: open, data: { nextTryAt: world.clock.now() } });
      for (const recipient of recipients) {
        await addJob(tx, deliverPayoutsJob, recipient, { key: deliveryKey(recipient) });
      }
      return intent;
    }),
  );
}
