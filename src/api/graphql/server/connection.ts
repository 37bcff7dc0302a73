/** Relay connections, by keyset: the cursor is a row's id, and ids are ordered by time. */

import { invalid } from '../../../errors.ts';
import { demandListSize } from './limits.ts';

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
