import type { CustomerStoryQuery } from '../../../../generated/web/documents.ts';

/** A customer as the customer page reads it. */
export type Customer = CustomerStoryQuery['customer'];
