/**
 * The units of a link while its sessions live: held when a session is opened, sold when it completes, released when it expires.
 * Each step is one UPDATE of the link's row, whose lock is held to the commit, so that concurrent sessions cannot hold more than
 * the stock. Locked after the payment and the session.
 */
import type { CheckoutSession, DatabaseTransaction, PaymentLink } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { availableQuantity, COUNTED_LIMIT, paymentLinkFields } from './payment-link.ts';

type LinkSession = Pick<CheckoutSession, 'id' | 'sourceType' | 'sourceId' | 'reservedQuantity'> & {
  items: { quantity: number }[];
};

/**
 * Holds units for a session that is being opened. Throws CONFLICT with `param` if fewer units are left, or if the link would hold and
 * have sold more units than it can count, even if its stock is unlimited.
 */
export async function reserveStock(
  tx: DatabaseTransaction,
  { linkId, quantity }: { linkId: string; quantity: number },
): Promise<void> {
  const reserved = await tx.$executeRaw`
    UPDATE payment_link SET reserved_quantity = reserved_quantity + ${quantity}
    WHERE id = ${linkId}::uuid
      AND reserved_quantity::bigint + sold_quantity + ${quantity} <= ${COUNTED_LIMIT}
      AND (stock IS NULL OR stock::bigint - reserved_quantity - sold_quantity >= ${quantity})`;
  if (reserved > 0) return;
  const link = await tx.paymentLink.findUniqueOrThrow({ where: { id: linkId } });
  const available = availableQuantity(link);
  if (available === null || available >= quantity) {
    const message = `A quantity of ${quantity} exceeds the ${COUNTED_LIMIT} units that a link can count as held and sold.`;
    throw new GatewayError('CONFLICT', message, { param: 'quantity', meta: { linkId, quantity } });
  }
  const inStock = Math.max(0, available);
  throw new GatewayError('CONFLICT', `A quantity of ${quantity} exceeds the ${inStock} left in stock.`, {
    param: 'quantity',
    meta: { linkId, quantity, left: inStock },
  });
}

/** Releases the units of a locked session that has expired. */
export async function releaseStock(tx: DatabaseTransaction, session: Omit<LinkSession, 'items'>): Promise<void> {
  const { reservedQuantity: held, sourceId } = session;
  if (held === 0 || sourceId === null) return;
  await tx.checkoutSession.update({ where: { id: session.id }, data: { reservedQuantity: 0 } });
  await tx.paymentLink.updateMany({ where: { id: sourceId }, data: { reservedQuantity: { decrement: held } } });
}

/**
 * Counts a locked session that has completed as a use of its link, and its units as sold. It never fails because of insufficient stock,
 * because the money has arrived: the count of sold units stops at its limit. Returns `payment_link.sold_out` for the units that exhaust the
 * stock and `payment_link.oversold` for those beyond it. Does nothing if the link has been deleted.
 */
export async function sellStock(
  tx: DatabaseTransaction,
  { session, publicUrl }: { session: LinkSession; publicUrl: string },
): Promise<NewEvent[]> {
  if (session.sourceType !== 'PAYMENT_LINK' || session.sourceId === null) return [];
  const held = session.reservedQuantity;
  const quantity = unitsOf(session);
  if (held > 0) await tx.checkoutSession.update({ where: { id: session.id }, data: { reservedQuantity: 0 } });
  await tx.$executeRaw`
    UPDATE payment_link SET usage_count = usage_count + 1, reserved_quantity = reserved_quantity - ${held},
      sold_quantity = LEAST(sold_quantity::bigint + ${quantity}, ${COUNTED_LIMIT})
    WHERE id = ${session.sourceId}::uuid`;
  const link = await tx.paymentLink.findFirst({ where: { id: session.sourceId, stock: { not: null } } });
  return link ? stockEvents(link, { quantity, publicUrl }) : [];
}

/** Takes back a sale whose authorization was removed by a reorganization. A session that is OPEN again holds its units again. */
export async function returnSale(
  tx: DatabaseTransaction,
  { session, isOpen }: { session: LinkSession; isOpen: boolean },
): Promise<void> {
  if (session.sourceType !== 'PAYMENT_LINK' || session.sourceId === null) return;
  const quantity = unitsOf(session);
  const held = isOpen ? quantity : 0;
  if (held > 0) await tx.checkoutSession.update({ where: { id: session.id }, data: { reservedQuantity: held } });
  await tx.$executeRaw`
    UPDATE payment_link SET usage_count = usage_count - 1, sold_quantity = sold_quantity - ${quantity},
      reserved_quantity = LEAST(reserved_quantity::bigint + ${held}, ${COUNTED_LIMIT})
    WHERE id = ${session.sourceId}::uuid`;
}

function unitsOf({ items }: Pick<LinkSession, 'items'>): number {
  return items.reduce((sum, item) => sum + item.quantity, 0);
}

/** The events of a sale of `quantity` units that the link already counts. */
function stockEvents(link: PaymentLink, { quantity, publicUrl }: { quantity: number; publicUrl: string }): NewEvent[] {
  const { id: resourceId, stock, soldQuantity: sold } = link;
  if (stock === null || sold < stock) return [];
  const data = paymentLinkFields(link, publicUrl);
  if (sold > stock) return [{ type: 'payment_link.oversold', resourceId, data }];
  return sold - quantity < stock ? [{ type: 'payment_link.sold_out', resourceId, data }] : [];
}
