/**
 * The pages of the dashboard, one entry each. The code and the texts of a page are loaded when it is first opened. If several pages match a
 * path, the first one is shown, so `/payments/new` must precede `/payments/:id`.
 */
import type { ComponentType } from 'react';
import type { IconName } from '../ui/icon-drawings.ts';
import { addWords } from '../words/open-words.ts';

export type DashboardPage = {
  /** The key of its title, `shell.pages.<key>`. */
  key: string;
  /** The path below /dashboard, in the syntax of wouter. Parameters are read with `useParams()`. */
  path: string;
  /** Its icon in the navigation. A page without an icon is not listed there. */
  icon?: IconName;
  /** Shown in the navigation only to members appointed by the operator. The API refuses all others. */
  isForOperators?: boolean;
  /** The key of the navigation entry to which it belongs. */
  under?: string;
  load: () => Promise<ComponentType>;
};

export const pages: readonly DashboardPage[] = [
  page({
    key: 'overview',
    path: '/',
    icon: 'chart',
    words: ['overview', 'payouts', 'setup'],
    load: async () => (await import('./overview/overview-page.tsx')).OverviewPage,
  }),
  page({
    key: 'payments',
    path: '/payments',
    icon: 'payment',
    words: ['payments', 'setup'],
    load: async () => (await import('./payments/list/payments-page.tsx')).PaymentsPage,
  }),
  page({
    key: 'serverPayments',
    path: '/payments/servers',
    under: 'payments',
    words: ['catalog', 'payments'],
    load: async () => (await import('./payments/servers/server-payments-page.tsx')).ServerPaymentsPage,
  }),
  page({
    key: 'payment',
    path: '/payments/:id',
    under: 'payments',
    words: ['payments', 'payouts', 'disputes'],
    load: async () => (await import('./payments/one/payment-page.tsx')).PaymentPage,
  }),
  page({
    key: 'disputes',
    path: '/disputes',
    icon: 'shield',
    words: ['catalog', 'disputes'],
    load: async () => (await import('./disputes/disputes-page.tsx')).DisputesPage,
  }),
  page({
    key: 'dispute',
    path: '/disputes/:id',
    under: 'disputes',
    words: ['catalog', 'disputes'],
    load: async () => (await import('./disputes/dispute-page.tsx')).DisputePage,
  }),
  page({
    key: 'subscriptions',
    path: '/subscriptions',
    icon: 'repeat',
    words: ['catalog', 'links', 'subscriptions', 'invoices', 'setup'],
    load: async () => (await import('./subscriptions/subscriptions-page.tsx')).SubscriptionsPage,
  }),
  page({
    key: 'subscription',
    path: '/subscriptions/:id',
    under: 'subscriptions',
    words: ['catalog', 'links', 'subscriptions', 'invoices'],
    load: async () => (await import('./subscriptions/subscription-page.tsx')).SubscriptionPage,
  }),
  page({
    key: 'customers',
    path: '/customers',
    icon: 'people',
    words: ['customers', 'payer'],
    load: async () => (await import('./customers/customers-page.tsx')).CustomersPage,
  }),
  page({
    key: 'customer',
    path: '/customers/:id',
    under: 'customers',
    words: ['customers', 'payer'],
    load: async () => (await import('./customers/customer-page.tsx')).CustomerPage,
  }),
  page({
    key: 'links',
    path: '/links',
    icon: 'link',
    words: ['catalog', 'links', 'setup'],
    load: async () => (await import('./links/links-page.tsx')).LinksPage,
  }),
  page({
    key: 'coupons',
    path: '/links/coupons',
    under: 'links',
    words: ['catalog', 'links'],
    load: async () => (await import('./coupons/coupons-page.tsx')).CouponsPage,
  }),
  page({
    key: 'link',
    path: '/links/:id',
    under: 'links',
    words: ['catalog', 'links', 'setup'],
    load: async () => (await import('./links/link-page.tsx')).LinkPage,
  }),
  page({
    key: 'plans',
    path: '/plans',
    icon: 'plan',
    words: ['catalog', 'setup'],
    load: async () => (await import('./plans/plans-page.tsx')).PlansPage,
  }),
  page({
    key: 'taxes',
    path: '/plans/taxes',
    under: 'plans',
    words: ['catalog'],
    load: async () => (await import('./taxes/taxes-page.tsx')).TaxesPage,
  }),
  page({
    key: 'plan',
    path: '/plans/:id',
    under: 'plans',
    words: ['catalog', 'setup'],
    load: async () => (await import('./plans/plan-page.tsx')).PlanPage,
  }),
  page({
    key: 'invoices',
    path: '/invoices',
    icon: 'invoice',
    words: ['catalog', 'invoices'],
    load: async () => (await import('./invoices/invoices-page.tsx')).InvoicesPage,
  }),
  page({
    key: 'newInvoice',
    path: '/invoices/new',
    under: 'invoices',
    words: ['catalog', 'invoices', 'setup'],
    load: async () => (await import('./invoices/invoice-new-page.tsx')).InvoiceNewPage,
  }),
  page({
    key: 'invoice',
    path: '/invoices/:id',
    under: 'invoices',
    words: ['catalog', 'invoices', 'subscriptions'],
    load: async () => (await import('./invoices/invoice-page.tsx')).InvoicePage,
  }),
  page({
    key: 'reports',
    path: '/reports',
    icon: 'report',
    words: ['reports'],
    load: async () => (await import('./reports/reports-page.tsx')).ReportsPage,
  }),
  page({
    key: 'developers',
    path: '/developers',
    icon: 'code',
    words: ['developers', 'setup'],
    load: async () => (await import('./developers/developers-page.tsx')).DevelopersPage,
  }),
  page({
    key: 'settings',
    path: '/settings',
    icon: 'gear',
    words: ['settings', 'audit', 'payer'],
    load: async () => (await import('./settings/settings-page.tsx')).SettingsPage,
  }),
  page({
    key: 'operations',
    path: '/operations',
    icon: 'pulse',
    isForOperators: true,
    words: ['operations'],
    load: async () => (await import('./operations/operations-page.tsx')).OperationsPage,
  }),
];

/** `words` are the namespaces of its texts. */
function page({ words, load, ...rest }: DashboardPage & { words: readonly string[] }): DashboardPage {
  return {
    ...rest,
    load: async () => {
      const [component] = await Promise.all([load(), addWords(words)]);
      return component;
    },
  };
}
