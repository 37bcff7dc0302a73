/** The chapters of the documentation and their pages, as the sidebar lists them. Paths are relative to the repository. */

type Chapter = { title: string; pages: [title: string, path: string][] };

export const chapters: Chapter[] = [
  {
    title: 'Get started',
    pages: [
      ['Quickstart', 'docs/quickstart.md'],
      ['Concepts', 'docs/concepts.md'],
      ['Glossary', 'docs/glossary.md'],
      ['Limits', 'docs/limits.md'],
    ],
  },
  {
    title: 'Accept payments',
    pages: [
      ['Hosted page', 'docs/hosted-page.md'],
      ['Plain transfers', 'docs/transfers.md'],
      ['Paid APIs with x402', 'docs/x402.md'],
      ['Subscriptions', 'docs/subscriptions.md'],
      ['Metered prices', 'docs/metered-prices.md'],
      ['Quantities and coupons', 'docs/coupons.md'],
      ['Prices and conversions', 'docs/prices.md'],
      ['Disputes', 'docs/disputes.md'],
      ['Emails', 'docs/mail.md'],
      ["The payer's page", 'docs/payer-page.md'],
      ['Test clock', 'docs/test-clock.md'],
    ],
  },
  {
    title: 'Integrate',
    pages: [
      ['Events and webhooks', 'docs/events.md'],
      ['Client packages', 'docs/sdk.md'],
      ['@sluice/sdk', 'packages/sdk/README.md'],
      ['@sluice/cli', 'packages/cli/README.md'],
      ['Medusa', 'docs/shops/medusa.md'],
      ['@sluice/medusa', 'packages/medusa/README.md'],
      ['Vendure', 'docs/shops/vendure.md'],
      ['@sluice/vendure', 'packages/vendure/README.md'],
      ['@sluice/x402', 'packages/x402/README.md'],
      ['API keys', 'docs/api-keys.md'],
      ['Wallet-connect card API', 'docs/card.md'],
    ],
  },
  {
    title: 'Run a business',
    pages: [
      ['Dashboard', 'docs/dashboard.md'],
      ['Pictures of the pages', 'docs/pages.md'],
      ['The screens, compared', 'docs/interface.md'],
      ['Reports and journals', 'docs/reports.md'],
      ['Proof of liabilities', 'docs/liabilities.md'],
      ['Audit log', 'docs/audit-log.md'],
    ],
  },
  {
    title: 'Chains and the contract',
    pages: [
      ['Chains and tokens', 'docs/chains.md'],
      ['Escrow contract', 'docs/contract.md'],
      ['Gas', 'docs/gas.md'],
      ['Solana', 'docs/solana.md'],
    ],
  },
  {
    title: 'Operate',
    pages: [
      ['Operations', 'docs/operations.md'],
      ['Configuration', 'docs/configuration.md'],
      ['Faults', 'docs/operations/faults.md'],
      ['Restore', 'docs/operations/restore.md'],
      ['Growth', 'docs/operations/growth.md'],
      ['More than one machine', 'docs/scale.md'],
      ['Gateway', 'docs/gateway.md'],
      ['Reliability', 'docs/reliability.md'],
      ['Performance', 'docs/performance.md'],
      ['Soak test', 'docs/soak.md'],
    ],
  },
  {
    title: 'The project',
    pages: [
      ['Contributing', 'CONTRIBUTING.md'],
      ['Tests', 'docs/testing.md'],
      ['Security', 'SECURITY.md'],
      ['Changes', 'CHANGELOG.md'],
    ],
  },
];
