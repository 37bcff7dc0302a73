/** What the search found, as places to go to. */
import type { DashboardSearchQuery } from '../../../../generated/web/documents.ts';

type Found = DashboardSearchQuery['search'];
/** Named as the page that it leads to. */
export type HitKind = 'payments' | 'customers' | 'subscriptions' | 'invoices' | 'links';

export type SearchHit = {
  href: string;
  /** What it is called; null: only its id is known. */
  title: string | null;
  /** What distinguishes it from others with the same name. */
  more: string | null;
  status: string | null;
  amount: { amount: string; currency: string } | null;
};

export type HitGroup = { kind: HitKind; hits: SearchHit[] };

/** In the order in which they are shown; kinds without hits are left out. */
export function hitGroups(found: Found): HitGroup[] {
  const hit = (kind: string, id: string, rest: Partial<SearchHit>): SearchHit => ({
    href: `/${kind}/${id}`,
    title: null,
    more: null,
    status: null,
    amount: null,
    ...rest,
  });
  const groups: HitGroup[] = [
    {
      kind: 'payments',
      hits: found.payments.map(({ id, amount, currency, status, externalId }) =>
        hit('payments', id, { title: externalId, more: id, status, amount: { amount, currency } }),
      ),
    },
    {
      kind: 'customers',
      hits: found.customers.map(({ id, name, email, externalId }) =>
        hit('customers', id, { title: name ?? email ?? externalId, more: name ? (email ?? externalId) : id }),
      ),
    },
    {
      kind: 'subscriptions',
      hits: found.subscriptions.map(({ id, status }) => hit('subscriptions', id, { more: id, status })),
    },
    {
      kind: 'invoices',
      hits: found.invoices.map(({ id, invoiceNumber, status }) =>
        hit('invoices', id, { title: invoiceNumber, more: id, status }),
      ),
    },
    {
      kind: 'links',
      hits: found.paymentLinks.map(({ id, name, slug }) => hit('links', id, { title: name, more: slug })),
    },
  ];
  return groups.filter(({ hits }) => hits.length > 0);
}
