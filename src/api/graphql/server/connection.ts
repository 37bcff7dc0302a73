/** Relay connections, by keyset: the cursor is a row's id, and ids are ordered by time. */

import type { Scope } from '../../../auth/principal.ts';
import { invalid } from '../../../errors.ts';
import { builder } from './builder.ts';
import type { GraphqlContext } from './context.ts';
import { demandListSize } from './limits.ts';
import { scopeOf } from './scope-of.ts';

type ConnectionArgs = {
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
};

/** Refuses sizes outside 1 to 100, and both ends at once. */
export function demandConnectionArgs(args: ConnectionArgs): void {
  demandListSize({ first: args.first, last: args.last });
  if (args.first != null && args.last != null) {
    throw invalid([{ param: 'last', message: 'not together with first' }]);
  }
}

/** How many rows a connection asks for, for its complexity. */
export function connectionSize(args: ConnectionArgs): number {
  return Math.min(args.first ?? args.last ?? 20, 100);
}

const ListOrder = builder.enumType('ListOrder', {
  description: 'Orders of a list.',
  values: {
    NEWEST: { value: 'NEWEST', description: 'Made last first.' },
    OLDEST: { value: 'OLDEST', description: 'Made first first.' },
  } as const,
});

/** The argument `orderBy` of a connection. */
export const orderArgs = builder.args((t) => ({
  orderBy: t.field({ type: ListOrder, required: true, defaultValue: 'NEWEST', description: 'The order.' }),
}));

export function idOrder({ orderBy }: { orderBy: typeof ListOrder.$inferType }): { id: 'asc' | 'desc' } {
  return { id: orderBy === 'OLDEST' ? 'asc' : 'desc' };
}

type InApp<Conditions> = NoInfer<Conditions> & { appId?: string | null | undefined };

/** The conditions that a connection's arguments and its `filter` name: all must hold, each in the caller's scope. */
export async function conditionsOf<Conditions, Where>(
  context: GraphqlContext,
  args: InApp<Conditions> & { filter?: InApp<Conditions> | null | undefined },
  where: (scope: Scope, conditions: Conditions) => Where,
): Promise<Where | { AND: Where[] }> {
  const own = where(await scopeOf(context, args), args);
  if (!args.filter) return own;
  return { AND: [own, where(await scopeOf(context, args.filter), args.filter)] };
}

/** The condition of one status or of several; none of an empty list, which leaves all. */
export function anyOf<Status extends string>(
  status: Status | readonly Status[] | null | undefined,
): { status?: { in: Status[] } } {
  const wanted = [status ?? []].flat() as Status[];
  return wanted.length === 0 ? {} : { status: { in: wanted } };
}
