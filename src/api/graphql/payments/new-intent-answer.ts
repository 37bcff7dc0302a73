import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { PaymentIntent, Prisma } from '../../../../prisma/client.ts';
import type { GraphqlContext } from '../server/context.ts';

/** Relations that are necessarily empty for a new intent. */
const empty = {
  transactions: [],
  dispute: null,
  refunds: [],
  terms: [],
  quotes: [],
  ledger: [],
  checkoutSessions: [],
  invoice: null,
  payouts: [],
  deposits: [],
} as const satisfies { [Relation in keyof Prisma.PaymentIntentInclude]?: readonly never[] | null };

/**
 * Returns the result of a mutation that has created `intent`. Its columns and the relations that must be empty are not read again. If any
 * other relation is selected, the whole selection is read at once. For a replay, relations are read as of now.
 */
export async function newIntentAnswer(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  intent: PaymentIntent,
): Promise<PaymentIntent> {
  if (context.answer.replayed) return intent;
  const query: { include?: Prisma.PaymentIntentInclude } = queryFromInfo({ context, info });
  const relations = Object.keys(query.include ?? {});
  if (relations.every((relation) => relation in empty)) return { ...empty, ...intent };
  // If this read fails, each relation is read by its own field, and only a field that fails again is null.
  const read = await context.database.paymentIntent
    .findUnique({ where: { id: intent.id }, ...query })
    .catch(() => null);
  return { ...read, ...intent };
}
