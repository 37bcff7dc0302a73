/** The calculations of the setup checklist and of the problems in the dashboard. */
import { describe, expect, it } from 'vitest';
import type { SetupFactsQuery } from '../../generated/web/documents.ts';
import { curlOf, sampleNames } from '../../web/src/dashboard/developers/samples/sample-calls.ts';
import { attentionWay } from '../../web/src/dashboard/overview/attention/attention-way.ts';
import {
  filterOf,
  noFilters,
  printFilters,
  readFilters,
} from '../../web/src/dashboard/payments/list/payment-filters.ts';
import { everything } from '../../web/src/dashboard/resources/selections.ts';
import { missingPayouts, networksOf, setupSteps, takesPayments } from '../../web/src/dashboard/setup/setup-steps.ts';
import type { ChainSettings } from '../../web/src/settings.ts';

const chain = (chainId: number, name: string, family: ChainSettings['family'], isTest = true) =>
  ({ chainId, name, family, isTest, tokens: [] }) as unknown as ChainSettings;
const chains = [
  chain(31337, 'Local', 'EVM'),
  chain(31338, 'Local 2', 'EVM'),
  chain(103, 'Solana devnet', 'SOLANA'),
  chain(785, 'Sui testnet', 'SUI'),
  chain(1, 'Ethereum', 'EVM', false),
];
const evm = [{ family: 'EVM' as const }];

const nothing: SetupFactsQuery = {
  app: { id: 'a', payoutAddresses: [] },
  apps: [{ id: 'a', mode: 'TEST', payoutAddresses: [] }],
  paymentLinks: { nodes: [] },
  made: { nodes: [] },
  paid: { nodes: [] },
  webhookEndpoints: [],
};
const doneOf = (facts: Partial<SetupFactsQuery>, mode: 'TEST' | 'LIVE' = 'TEST') =>
  setupSteps({ ...nothing, ...facts }, mode).flatMap(({ key, isDone }) => (isDone ? [key] : []));

describe('the setup steps', () => {
  it('are completed independently by their objects', () => {
    const link = { id: 'l', paymentUrl: 'u', isPayable: true };
    expect(doneOf({})).toEqual([]);
    expect(doneOf({ app: { id: 'a', payoutAddresses: evm } })).toEqual(['payout']);
    expect(doneOf({ paymentLinks: { nodes: [link] } })).toEqual(['request']);
    expect(doneOf({ made: { nodes: [{ id: 'p' }] } })).toEqual(['request']);
    expect(doneOf({ paid: { nodes: [{ id: 'p' }] } })).toEqual(['payment']);
    expect(doneOf({ webhookEndpoints: [{ id: 'w', active: false }] })).toEqual([]);
    expect(doneOf({ webhookEndpoints: [{ id: 'w', active: true }] })).toEqual(['webhook']);
    expect(doneOf({ apps: [{ id: 'b', mode: 'LIVE', payoutAddresses: [] }] })).toEqual([]);
    expect(doneOf({ apps: [{ id: 'b', mode: 'LIVE', payoutAddresses: evm }] })).toEqual(['live']);
  });

  it('end with the webhook in a live app', () => {
    expect(setupSteps(nothing, 'LIVE').map(({ key }) => key)).toEqual(['payout', 'request', 'payment', 'webhook']);
  });

  it('may be hidden once a payment was paid to an address', () => {
    const paid = {
      app: { id: 'a', payoutAddresses: evm },
      made: { nodes: [{ id: 'p' }] },
      paid: { nodes: [{ id: 'p' }] },
    };
    expect(takesPayments(setupSteps({ ...nothing, ...paid }, 'TEST'))).toBe(true);
    expect(takesPayments(setupSteps({ ...nothing, ...paid, paid: { nodes: [] } }, 'TEST'))).toBe(false);
  });

  it('list the networks by family, without those of the other mode and Sui', () => {
    expect(networksOf(chains, { mode: 'TEST', payouts: evm })).toEqual([
      { family: 'EVM', chains: 'Local, Local 2', isSet: true },
      { family: 'SOLANA', chains: 'Solana devnet', isSet: false },
    ]);
    expect(networksOf(chains, { mode: 'LIVE', payouts: [] })).toEqual([
      { family: 'EVM', chains: 'Ethereum', isSet: false },
    ]);
  });
});

describe('the notice about missing payout addresses', () => {
  const missing = (payouts: { family: string }[], selected: 'ALL' | number[]) =>
    missingPayouts(chains, { mode: 'TEST', payouts, selection: { ...everything, chains: selected } });

  it('lists every chain if no address exists, and none if the other chains are not offered', () => {
    expect(missing([], 'ALL')).toEqual({ isUnpayable: true, chains: ['Local', 'Local 2', 'Solana devnet'] });
    expect(missing([...evm], 'ALL')).toEqual({ isUnpayable: false, chains: [] });
  });

  it('lists a chain that was selected explicitly', () => {
    expect(missing([...evm], [31337, 103])).toEqual({ isUnpayable: false, chains: ['Solana devnet'] });
    expect(missing([...evm], [103])).toEqual({ isUnpayable: true, chains: ['Solana devnet'] });
  });

  it('leaves out Solana for recurring payments, which only EVM chains take', () => {
    const recurring = (payouts: { family: string }[]) =>
      missingPayouts(chains, { mode: 'TEST', payouts, selection: everything, isRecurring: true });
    expect(recurring([{ family: 'SOLANA' }])).toEqual({ isUnpayable: true, chains: ['Local', 'Local 2'] });
    expect(recurring([...evm])).toEqual({ isUnpayable: false, chains: [] });
  });
});

describe('a problem on the overview', () => {
  it('links to the list of the objects that it counts', () => {
    const createdFrom = new Date(2026, 0, 5, 12).toISOString();
    expect(attentionWay({ kind: 'OPEN_DISPUTES', createdFrom: null })).toBe('/disputes?show=open');
    expect(attentionWay({ kind: 'FAILED_RENEWALS', createdFrom: null })).toBe('/subscriptions?renewal=failed');
    const way = attentionWay({ kind: 'LATE_PAYMENTS', createdFrom });
    expect(way).toBe('/payments?flags=LATE&from=2026-01-05');
    expect(readFilters(way.split('?')[1] ?? '')).toEqual({ ...noFilters, flags: ['LATE'], from: '2026-01-05' });
  });

  it('is a filter in the URL, in a fixed order and without unknown values', () => {
    const filters = readFilters('flags=LATE,ODD,DISPUTED');
    expect(filters.flags).toEqual(['DISPUTED', 'LATE']);
    expect(printFilters(filters)).toBe('flags=DISPUTED%2CLATE');
    expect(filterOf(filters, 'app')).toEqual({ appId: 'app', flags: ['DISPUTED', 'LATE'] });
  });
});

it('every example call has the same placeholder for the key and valid JSON in its body', () => {
  for (const name of sampleNames) {
    const call = curlOf(name, { appId: 'app', origin: 'https://pay.example' });
    expect(call).toContain("-H 'x-api-key: YOUR_SECRET_KEY'");
    expect(() => JSON.parse(/-d '(.*)'$/.exec(call)?.[1] ?? '')).not.toThrow();
  }
});
