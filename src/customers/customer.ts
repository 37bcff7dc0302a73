/**
 * A customer: an end user of one app, with linked wallets. The gateway is the authority for the record; the chain is the
 * authority for whether a wallet has an authorization.
 */
import { z } from 'zod';
import type { CustomerAccount } from '../../prisma/client.ts';
import { metadataSchema } from '../platform/metadata.ts';

const text = (limit: number) => z.string().max(limit, `at most ${limit} characters`).nullish();

/** The editable fields of a customer; limits are in characters. */
export const customerFieldsSchema = z.object({
  email: z.email('not an email address').max(255, 'at most 255 characters').nullish(),
  name: text(255),
  externalId: text(255),
  address: text(500),
  city: text(255),
  state: text(255),
  country: text(255),
  postalCode: text(50),
  locale: z.enum(['en', 'de'], 'en or de').nullish(),
  metadata: metadataSchema.nullish(),
});
export type CustomerFields = z.infer<typeof customerFieldsSchema>;

/** The scalar fields of a customer, as the API returns them and events carry them. */
export function customerFields(customer: CustomerAccount) {
  return {
    id: customer.id,
    appId: customer.appId,
    externalId: customer.externalId,
    email: customer.email,
    name: customer.name,
    address: customer.address,
    city: customer.city,
    state: customer.state,
    country: customer.country,
    postalCode: customer.postalCode,
    locale: customer.locale,
    metadata: customer.metadata ?? {},
    createdAt: customer.createdAt.toISOString(),
    updatedAt: customer.updatedAt.toISOString(),
  };
}
