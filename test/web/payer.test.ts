/** How the payer's page interprets terms and states, and its stored copy. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { batchAddress } from '../../src/escrow/batch/batch-bytecode.ts';
import { consentFromJson, consentHash, type RecurringConsent } from '../../src/escrow/consent.ts';
import { deterministicDeployer } from '../../src/escrow/deterministic-deployer.ts';
import { firstEditionAddress, firstEditionConsentHash, firstEditionTermsHash } from '../../src/escrow/first-edition.ts';
import type { EscrowState } from '../../src/escrow/read-escrow-state.ts';
import { type PaymentTerms, termsFromJson, termsHash } from '../../src/escrow/terms.ts';
import { heldCredits } from '../../web/src/payer/holdings/held-credits.ts';
import { type HeldPayment, type Holdings, mergeHoldings, noHoldings } from '../../web/src/payer/holdings/holding.ts';
import { printCopy, readCopy } from '../../web/src/payer/holdings/kept-copy.ts';
import { actionOf, collectable, outlookOf } from '../../web/src/payer/holdings/payment-outlook.ts';
import { reportedHoldings } from '../../web/src/payer/holdings/reported-holdings.ts';
import { readCoinTarget } from '../../web/src/payer/view/coin-target.ts';

const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const escrow = '0x1000000000000000000000000000000000000009';
const zero = '0x0000000000000000000000000000000000000000';
const bytes = `0x${'11'.repeat(32)}` as const;
const chainId = 31337;

const terms: PaymentTerms = {
  intentId: bytes,
  payer: wallet,
  merchant: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  token: '0x1000000000000000000000000000000000000001',
  amount: 12_500_000n,
  authorizeBy: 900,
  captureBy: 1000,
  timelock: 500,
  disputeWindow: 200,
  disputeTimeout: 700_000,
  timeoutPayerBps: 2500,
  feeBps: 0,
  feeRecipient: zero,
  operator: escrow,
  arbiter: escrow,
  quoteHash: bytes,
  captureOnAuthorize: false,
};
const consent: RecurringConsent = {
  subscriptionId: bytes,
  payer: wallet,
  merchant: terms.merchant,
  token: terms.token,
  capPerPeriod: 6n,
  start: 1,
  unit: 1,
  count: 1,
  end: 0,
  feeBps: 0,
  feeRecipient: zero,
  operator: escrow,
  arbiter: zero,
  timelock: 0,
  disputeWindow: 0,
  disputeTimeout: 0,
  timeoutPayerBps: 0,
};
const escrowOf = (id: number) => (id === chainId ? (escrow as `0x${string}`) : undefined);

function heldBy(payer: PaymentTerms['payer']): Holdings {
  const own = { ...terms, payer };
  const id = termsHash(own);
  const consentId = consentHash({ ...consent, payer });
  return {
    payments: [{ key: `${chainId}:${id}`, chainId, escrow, id, terms: own, reported: null }],
    consents: [
      {
        key: `${chainId}:${consentId}`,
        chainId,
        escrow,
        id: consentId,
        consent: { ...consent, payer },
        reported: null,
      },
    ],
    allowances: [],
    payouts: [],
  };
}

const state = (fields: Partial<EscrowState>): EscrowState => ({
  status: 'CAPTURED',
  left: terms.amount,
  capturedAt: 950,
  disputedAt: 0,
  ...fields,
});

describe('the outlook of a payment', () => {
  // The boundary seconds are the contract's own: reclaim after captureBy, dispute before the window's end.
  it.each([
    [state({ status: 'AUTHORIZED' }), 1000, { kind: 'HELD', at: 1000 }, null],
    [state({ status: 'AUTHORIZED' }), 1001, { kind: 'RECLAIMABLE' }, 'reclaim'],
    [state({}), 1149, { kind: 'DISPUTABLE', at: 1150 }, 'dispute'],
    [state({}), 1150, { kind: 'SETTLING', at: 1450 }, null],
    [state({ disputedAt: 1100 }), 701_099, { kind: 'DISPUTED', at: 701_100, payerBps: 2500 }, null],
    [state({ disputedAt: 1100 }), 701_100, { kind: 'DISPUTE_OVERDUE', payerBps: 2500 }, 'endDispute'],
    [state({ status: 'VOIDED', left: 0n }), 9999, { kind: 'RETURNED' }, null],
    [state({ status: 'RECLAIMED', left: 0n }), 9999, { kind: 'RETURNED' }, null],
    [state({ status: 'REFUNDED', left: 0n }), 9999, { kind: 'RETURNED' }, null],
    [state({ status: 'SETTLED', left: 0n }), 9999, { kind: 'SETTLED' }, null],
    [state({ status: 'RESOLVED', left: 0n }), 9999, { kind: 'RESOLVED' }, null],
    [state({ status: 'NONE', left: 0n }), 9999, { kind: 'UNKNOWN' }, null],
  ] as const)('%o at %i is %o', (now, at, outlook, action) => {
    expect(outlookOf(terms, now, at)).toEqual(outlook);
    expect(actionOf(outlookOf(terms, now, at))).toBe(action);
  });

  it('excludes a dispute if no dispute window was agreed', () => {
    expect(actionOf(outlookOf({ ...terms, disputeWindow: 0 }, state({}), 950))).toBeNull();
  });
});

describe('the stored copy in the browser', () => {
  it('restores the same payments and consents, with recalculated IDs', () => {
    expect(readCopy(printCopy(heldBy(wallet)), { wallet, escrowOf })).toEqual(heldBy(wallet));
  });

  it('is ignored for another wallet, an unknown chain or invalid content', () => {
    const copy = printCopy(heldBy(terms.merchant));
    expect(readCopy(copy, { wallet, escrowOf })).toEqual(noHoldings);
    expect(readCopy(printCopy(heldBy(wallet)), { wallet, escrowOf: () => undefined })).toEqual(noHoldings);
    for (const text of [null, '', '{}', '[]', '{"payments":[{"chainId":1,"terms":{}}],"consents":[]}'])
      expect(readCopy(text, { wallet, escrowOf })).toEqual(noHoldings);
  });
});

const copied = () => JSON.parse(printCopy(heldBy(wallet)));
const reportedPayment = {
  id: '0190e3a6-0000-7000-8000-000000000000',
  termsHash: termsHash(terms) as string,
  terms: copied().payments[0].terms,
  chainId,
  appName: 'Tea house',
  appLogoUrl: null,
  lines: ['Tea'],
  amount: '12.50',
  currency: 'USD' as const,
  left: '12500000',
  status: 'CAPTURED' as const,
  authorizedAt: '1970-01-01T00:15:00.000Z',
  capturedAt: '1970-01-01T00:15:50.000Z',
  txHash: null,
  refunds: [],
  contact: { supportEmail: null, supportUrl: null, websiteUrl: null },
  undelivered: [],
  dispute: {
    id: '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11',
    status: 'OPEN' as const,
    createdAt: '1970-01-01T00:16:40.000Z',
  },
};
const reportedConsent = {
  id: consentHash(consent) as string,
  consent: copied().consents[0].consent,
  chainId,
  appName: 'Tea house',
  appLogoUrl: null,
  usage: [],
  planName: 'Tea a month',
  amount: '12.50',
  currency: 'USD' as const,
  billingInterval: 'MONTH' as const,
  billingIntervalCount: 1,
  revokedAt: null,
  isCurrent: true,
  subscriptionStatus: 'ACTIVE' as const,
  nextChargeAt: null,
  cancelAtPeriodEnd: false,
};
const reportedAllowance = { chainId, tokenKey: 'USDC-31337', amount: '5' };
const reportOf = (answer: Partial<Parameters<typeof reportedHoldings>[0]>) =>
  reportedHoldings(
    { wallet, chainId: null, payments: [], consents: [], allowances: [], undelivered: [], ...answer },
    escrowOf,
  );

describe('data merged from several sources', () => {
  it('contains each object once, with the gateway’s data and names first', () => {
    const reported = reportOf({
      payments: [reportedPayment],
      consents: [reportedConsent],
      allowances: [reportedAllowance, { chainId, tokenKey: 'USDT-31337', amount: null }],
    });
    const merged = mergeHoldings(reported, heldBy(wallet));
    const [payment, ...others]: readonly HeldPayment[] = merged.payments;
    expect(others).toEqual([]);
    expect(payment?.reported?.merchant.name).toBe('Tea house');
    expect(payment?.reported?.state).toEqual(state({ disputedAt: 1000 }));
    expect(merged.consents.map((one) => one.reported?.planName)).toEqual(['Tea a month']);
    // An amount that could not be read is not zero, and is not shown.
    expect(reported.allowances.map(({ tokenKey, amount }) => [tokenKey, amount])).toEqual([['USDC-31337', 5n]]);
  });

  it('uses the first edition of the contract if its ID matches, and is not stored for a later visit', () => {
    const [ownTerms, ownConsent] = [termsFromJson(reportedPayment.terms), consentFromJson(reportedConsent.consent)];
    const reported = reportOf({
      payments: [
        { ...reportedPayment, status: 'SETTLED', termsHash: firstEditionTermsHash({ chainId, terms: ownTerms }) },
      ],
      consents: [{ ...reportedConsent, id: firstEditionConsentHash({ chainId, consent: ownConsent }) }],
    });
    expect([...reported.payments, ...reported.consents].map((held) => held.escrow)).toEqual([
      firstEditionAddress,
      firstEditionAddress,
    ]);
    expect(reported.payments[0]?.reported?.state.status).toBe('SETTLED');
    expect(readCopy(printCopy(reported), { wallet, escrowOf })).toEqual(noHoldings);
    // A copy of the previous version of the page has no edition.
    const { edition, ...old } = copied();
    expect(edition).toBe(2);
    expect(readCopy(JSON.stringify(old), { wallet, escrowOf })).toEqual(noHoldings);
  });

  it('omits each row that is invalid or does not match its ID', () => {
    const other = `0x${'22'.repeat(32)}`;
    const reported = reportOf({
      payments: [
        { ...reportedPayment, termsHash: other },
        { ...reportedPayment, terms: { ...reportedPayment.terms, amount: '1' } },
        { ...reportedPayment, terms: {} },
        { ...reportedPayment, left: 'much' },
        { ...reportedPayment, chainId: 1 },
        reportedPayment,
      ],
      consents: [
        { ...reportedConsent, id: other },
        { ...reportedConsent, consent: { ...reportedConsent.consent, capPerPeriod: '1' } },
        { ...reportedConsent, consent: null },
        reportedConsent,
      ],
      allowances: [{ ...reportedAllowance, amount: 'much' }, reportedAllowance],
    });
    expect(reported.payments.map(({ id }) => id)).toEqual([reportedPayment.termsHash]);
    expect(reported.consents.map(({ id }) => id)).toEqual([reportedConsent.id]);
    expect(reported.allowances).toHaveLength(1);
  });
});

describe('the recipient address of a native coin', () => {
  const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
  const place = { name: 'Here', escrow, tokens: [{ symbol: 'USDC', address: usdc }] };

  it.each([wallet, wallet.toLowerCase(), ` ${wallet} `])('accepts %s', (typed) => {
    expect(readCoinTarget(place, typed)).toEqual({ address: typed.trim(), fault: null });
  });

  it.each([
    ['', 'MALFORMED'],
    ['0x7099', 'MALFORMED'],
    // A wrong checksum.
    ['0x70997970c51812dc3a010c7d01b50e0d17dc79C8', 'MALFORMED'],
    [zero, { kind: 'ZERO' }],
    [escrow, { kind: 'ESCROW', chain: 'Here' }],
    [usdc.toLowerCase(), { kind: 'TOKEN', chain: 'Here', symbol: 'USDC' }],
    [batchAddress, { kind: 'BATCH' }],
    [firstEditionAddress, { kind: 'FIRST_EDITION' }],
    [deterministicDeployer.address, { kind: 'DEPLOYER' }],
    ['0x0000000000000000000000000000000000000100', { kind: 'RESERVED' }],
    ['0x4200000000000000000000000000000000000007', { kind: 'PREDEPLOY' }],
    ['0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', { kind: 'PLACEHOLDER' }],
  ])('rejects "%s"', (typed, fault) => {
    expect(readCoinTarget(place, typed)).toEqual({ address: null, fault });
  });

  it.each(['en', 'de'])('has a text for every rejection in "%s"', (language) => {
    const words = readFileSync(new URL(`../../web/src/words/${language}/payer.json`, import.meta.url), 'utf8');
    const kinds = [
      'ZERO',
      'ESCROW',
      'TOKEN',
      'BATCH',
      'FIRST_EDITION',
      'DEPLOYER',
      'RESERVED',
      'PREDEPLOY',
      'PLACEHOLDER',
    ];
    expect(Object.keys(JSON.parse(words).credits.sink).sort()).toEqual(kinds.sort());
  });
});

describe('an undelivered payout', () => {
  const next = '2026-01-01T00:05:00.000Z';
  const later = '2026-01-01T06:00:00.000Z';
  const undelivered = [
    { id: 'a', chainId, tokenKey: 'USDC-31337', amount: '5', nextTryAt: later },
    { id: 'b', chainId, tokenKey: 'USDC-31337', amount: '7', nextTryAt: next },
  ];
  const reported = reportOf({
    payments: [{ ...reportedPayment, undelivered: undelivered.map(({ id }) => ({ id })) }],
    undelivered,
  });
  const { payments } = reported;
  const onChain = (amount: bigint) => {
    const credit = { key: `${chainId}:usdc-31337`, chainId, tokenKey: 'USDC-31337', amount };
    return new Map([[chainId, amount === 0n ? [] : [credit]]]);
  };

  it('has the amount of the contract, with the payments and the next attempt from the gateway', () => {
    expect(heldCredits(reported, onChain(20n))).toMatchObject([{ amount: 20n, from: payments, nextTryAt: next }]);
    expect(heldCredits(noHoldings, onChain(20n))).toMatchObject([{ amount: 20n, from: [], nextTryAt: null }]);
  });

  it('is omitted once the contract owes nothing, even if the gateway still reports it', () => {
    expect(heldCredits(reported, onChain(0n))).toEqual([]);
  });

  it('has the total of the gateway if the contract could not be read', () => {
    expect(heldCredits(reported, new Map())).toMatchObject([
      { chainId, tokenKey: 'USDC-31337', amount: 12n, from: payments, nextTryAt: next },
    ]);
  });

  it('includes amounts of payments that the gateway did not list', () => {
    const unlisted = { id: 'c', chainId, tokenKey: 'USDC-31337', amount: '9', nextTryAt: later };
    const elsewhere = { ...unlisted, id: 'd', chainId: 5 };
    const more = reportOf({ payments: [], undelivered: [unlisted, elsewhere] });
    expect(heldCredits(more, new Map())).toMatchObject([{ chainId, amount: 9n, from: [], nextTryAt: later }]);
    expect(heldCredits(mergeHoldings(reported, more), new Map())).toMatchObject([{ amount: 21n, from: payments }]);
    expect(heldCredits(more, new Map())).toHaveLength(1);
  });

  it('makes a returned payment claimable, and no other', () => {
    expect(collectable({ kind: 'RETURNED' })).toEqual({ kind: 'COLLECTABLE' });
    expect(collectable({ kind: 'SETTLED' })).toEqual({ kind: 'SETTLED' });
    expect(actionOf({ kind: 'COLLECTABLE' })).toBeNull();
  });
});
