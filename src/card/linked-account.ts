/** Accounts that a user has proved, as the API returns them. */
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

/** An account proved to several origins is returned once, as most recently linked. */
export function shownAccounts(rows: readonly LinkedAccount[]): ShownAccount[] {
  const shown = new Map<string, ShownAccount>();
  for (const row of [...rows].sort((left, right) => left.linkedAt.getTime() - right.linkedAt.getTime())) {
    const name = parseAccountName(row.account);
    // Rows contain names that were valid when written; an account of a family no longer supported is left out.
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
