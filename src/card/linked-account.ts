/** Accounts that a user has proved, as the API shows them. */
import type { LinkedAccount } from '../../prisma/client.ts';
import { type AccountName, parseAccountName } from '../chains/account-id.ts';

export type ShownAccount = {
  /** CAIP-10. */
  account: string;
  /** CAIP-2. */
  chainId: string;
  address: string;
  namespace: AccountName['namespace'];
  label: string | null;
  linkedAt: Date;
};

/** The same account proved to several origins is shown once, as it was linked last. */
export function shownAccounts(rows: readonly LinkedAccount[]): ShownAccount[] {
  const shown = new Map<string, ShownAccount>();
  for (const row of [...rows].sort((left, right) => left.linkedAt.getTime() - right.linkedAt.getTime())) {
    const name = parseAccountName(row.account);
    // Rows are written with parsed names; a family that is given up later is not shown.
    if (name === null) continue;
    const { caip10, caip2, address, namespace } = name;
    shown.set(caip10, {
      account: caip10,
      chainId: caip2,
      address,
      namespace,
      label: row.label,
      linkedAt: row.linkedAt,
    });
  }
  return [...shown.values()];
}
