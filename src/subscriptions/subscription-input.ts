/** The input of creating and ending a subscription. */
import { z } from 'zod';
import { metadataSchema } from '../platform/metadata.ts';

export const createSubscriptionSchema = z.object({
  appId: z.guid(),
  customerAccountId: z.guid(),
  productPlanId: z.guid(),
  productPlanPriceId: z.guid(),
  allowedChains: z.union([z.literal('ALL'), z.array(z.int().positive()).min(1).max(100)]).nullish(),
  allowedTokens: z.union([z.literal('ALL'), z.array(z.string().min(1).max(255)).min(1).max(100)]).nullish(),
  metadata: metadataSchema.nullish(),
});
export type CreateSubscriptionInput = z.infer<typeof createSubscriptionSchema>;
