/** The background jobs of invoices. */
import { z } from 'zod';
import { defineJob } from '../platform/jobs.ts';

export const mailInvoiceJob = defineJob({
  name: 'mail_invoice',
  payload: z.object({ invoiceId: z.uuid() }),
  maxAttempts: 10,
});

export const overdueInvoiceJob = defineJob({
  name: 'overdue_invoice',
  payload: z.object({ invoiceId: z.uuid() }),
  maxAttempts: 25,
});

export function overdueKey(invoiceId: string): string {
  return `overdue:${invoiceId}`;
}
