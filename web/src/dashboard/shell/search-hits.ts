/** The search results as links to pages. */
import type { DashboardSearchQuery } from '../../../../generated/web/documents.ts';

type Found = DashboardSearchQuery['search'];
/** Each kind has the name of the page to which it links. */
export type HitKind = 'payments' | 'customers' | 'subscriptions' | 'invoices' | 'links';

export type SearchHit = {
  href: string;
  /** The name of the resource. Null if it has only an id. */
  title: string | null;
  /** A text that distinguishes it from others with the same name. */
  more: string | null;
  status: string | null;
  amount: { amount: string; currency: string } | null;
};

export type HitGroup = { kind: HitKind; hits: SearchHit[] };

/** The groups in the order in which they are shown. Kinds without results are omitted. */
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
