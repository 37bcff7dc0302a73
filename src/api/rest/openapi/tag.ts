/** The tags of the API's description, by the first segment of a path. */

type Tag = { name: string; description: string };

const chapters: Record<string, Tag> = {
  payments: { name: 'Payment intents', description: 'Single payments, from creation to settlement.' },
  disputes: {
    name: 'Disputes',
    description: "Payers' disputes of payments, with the evidence and files of both sides.",
  },
  subscriptions: { name: 'Subscriptions', description: 'Recurring payments under a plan.' },
  usage: { name: 'Usage', description: 'The usage of subscriptions with metered prices.' },
  customers: { name: 'Customers', description: 'End users and their wallets.' },
  'payment-links': { name: 'Payment links', description: 'Shareable URLs that accept payments.' },
  coupons: { name: 'Coupons', description: 'Discounts that checkouts and subscriptions redeem.' },
  'tax-rates': { name: 'Tax rates', description: 'Reusable taxes for invoices, links and plans.' },
  'product-plans': { name: 'Product plans', description: 'Products and their prices.' },
  invoices: { name: 'Invoices', description: 'Numbered requests for payment, with tax.' },
  'checkout-sessions': {
    name: 'Checkout sessions',
    description: 'Checkouts on the hosted page, or headless in your own client.',
  },
  x402: {
    name: 'x402',
    description:
      'Paid API calls: payment requirements for 402 responses, and a facilitator that verifies and settles payments.',
  },
  webhooks: { name: 'Webhooks', description: 'Endpoints that receive events, and their deliveries.' },
  events: { name: 'Events', description: "The app's append-only sequence of events." },
  'audit-log': {
    name: 'Audit log',
    description: 'A record of changes to settings, keys, payout addresses, members and payments, and of who made them.',
  },
  reports: {
    name: 'Reports',
    description: 'Reports for accounting: payments, payouts, fees, balances, reconciliation and the ledger.',
  },
  liabilities: {
    name: 'Liabilities',
    description: 'Liabilities of the installation at a final block, and the balance of the escrow. Off by default.',
  },
  'test-clock': { name: 'Test clock', description: 'Advances the time of an installation whose chains are all local.' },
  prices: { name: 'Prices', description: 'Spot prices and conversions.' },
  balance: { name: 'Balances', description: 'On-chain balances of any address.' },
  auth: { name: 'Login', description: 'One-time passwords and tokens.' },
  'session-connect': { name: 'Session connect', description: 'Sessions of a wallet user with a client.' },
  'onetime-connect': { name: 'Onetime connect', description: 'Requests for single signatures.' },
  wallet: { name: 'Wallet', description: 'Data that card interfaces display.' },
};

/** Returns the tag of a path. Webhooks have a tag of their own, although their paths begin with the app. */
export function tagOf(path: string): Tag {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== 'v1');
  const word = (segments[0] === 'apps' ? segments[2] : segments[0]) ?? '';
  const chapter = Object.hasOwn(chapters, word) ? chapters[word] : undefined;
  if (!chapter) throw new TypeError(`${path} has no tag: add one in openapi/tag.ts.`);
  return chapter;
}
