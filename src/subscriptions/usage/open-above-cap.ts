/** The invoices that charge the usage above a cap, and the notice that there is one. */
import type { DatabaseTransaction, Invoice } from '../../../prisma/client.ts';
import type { NewEvent } from '../../events/append-events.ts';
import { overdueInvoiceJob, overdueKey } from '../../invoices/jobs.ts';
import { newId } from '../../platform/identifier.ts';
import { addJob } from '../../platform/jobs.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { type InvoiceDraft, invoiceOpened } from '../renewal/insert-invoices.ts';
import type { RenewalBill } from '../renewal/renewal-lines.ts';
import type { RenewableSubscription } from '../renewal/renewal-world.ts';
import { subscriptionFields } from '../subscription-fields.ts';
import { isInclusive, type SplitBill, splitAboveCap } from './above-cap.ts';
import type { CapRatesOf } from './read-cap-rates.ts';

/** An invoice whose bill may exceed the cap. */
type Splitting = {
  id: string;
  subscription: RenewableSubscription;
  sold: { price: { currency: string } };
  split: SplitBill | null;
};

/** The invoices of what exceeds the caps, and their ids by those of the invoices that they were split from. */
export type AboveCap = { drafts: InvoiceDraft[]; idOf: ReadonlyMap<string, string> };

const DUE_DAYS = 14;
const DAY_MS = 86_400_000;

/** Splits a bill that exceeds what the payer has signed. Without a live consent there is no cap, and nothing is charged by itself. */
export function splitOf(
  subscription: RenewableSubscription,
  { bill, rates }: { bill: RenewalBill; rates: CapRatesOf },
): SplitBill | null {
  const { consent } = subscription;
  const ofIt = rates.get(subscription.id);
  if (!consent || consent.revokedAt !== null || !ofIt) return null;
  return splitAboveCap(bill, { cap: toBigInt(consent.capPerPeriod), rates: ofIt });
}

/** The payer has 14 days to pay what was not charged. */
export function openAboveCap({ drafts, now }: { drafts: readonly Splitting[]; now: Date }): AboveCap {
  const dueDate = new Date(now.getTime() + DUE_DAYS * DAY_MS);
  const split = drafts.flatMap(({ id: splitFromId, subscription, sold, split: found }): InvoiceDraft[] =>
    found === null
      ? []
      : [
          {
            id: newId(),
            subscription,
            currency: sold.price.currency,
            bill: found.above,
            paymentIntentId: null,
            dueDate,
            periodStart: null,
            periodEnd: null,
            createdAt: now,
            usageReason: 'ABOVE_CAP',
            splitFromId,
          },
        ],
  );
  return { drafts: split, idOf: new Map(split.map(({ id, splitFromId }) => [splitFromId ?? '', id])) };
}

/**
 * Keeps what was taken off with the invoice, after its discount, so that the other invoice still counts if this one is dropped and its
 * usage is charged again, with the discount of the whole. Returns
 * `invoice.opened` and `subscription.usage_above_cap` for the caller to append.
 */
export async function noteAboveCap(
  tx: DatabaseTransaction,
  request: { draft: Splitting; invoice: Invoice; splits: AboveCap; invoices: ReadonlyMap<string, Invoice>; now: Date },
): Promise<NewEvent[]> {
  const { draft, invoice, splits, invoices, now } = request;
  const { subscription, split } = draft;
  const other = invoices.get(splits.idOf.get(invoice.id) ?? '');
  if (split === null || !other) return [];
  await tx.subscriptionAdjustment.createMany({
    data: split.takenOff.map(({ discountAmount, taxed, usage, ...line }) => ({
      ...line,
      ...(usage === null ? {} : { usage }),
      amount: line.amount.minus(discountAmount).toFixed(2),
      taxAmount: taxed.taxAmount.toFixed(2),
      taxInclusive: isInclusive({ ...line, discountAmount, taxed, usage }),
      id: newId(),
      subscriptionId: subscription.id,
      invoiceId: invoice.id,
      createdAt: now,
    })),
  });
  if (other.dueDate !== null) {
    const options = { runAt: other.dueDate, key: overdueKey(other.id) };
    await addJob(tx, overdueInvoiceJob, { invoiceId: other.id }, options);
  }
  const data = {
    ...subscriptionFields(subscription),
    invoiceId: invoice.id,
    aboveCapInvoiceId: other.id,
    amountAboveCap: other.total.toFixed(2),
    currency: other.currency,
  };
  return [invoiceOpened(other), { type: 'subscription.usage_above_cap', resourceId: subscription.id, data }];
}
