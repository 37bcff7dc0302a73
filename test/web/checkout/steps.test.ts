/** The state machine of the hosted page as a table: every error has a card, a button and a message. */
import { describe, expect, it } from 'vitest';
import { type Facts, type SessionFacts, viewOf } from '../../../web/src/checkout/steps.ts';

const NOW = 1_000_000;
const session: SessionFacts = {
  status: 'OPEN',
  mode: 'PAYMENT',
  expiresAt: NOW + 60_000,
  lastError: null,
  payment: 'CREATED',
  captureMode: 'AUTOMATIC',
  attempt: null,
  authorization: null,
};
const address = '0x00000000000000000000000000000000000000AA';
const way = { tokenKey: 'USDC-1', chainId: 1, isShort: false, lacksGas: false };
const prepared = {
  quoteId: 'q1',
  tokenKey: 'USDC-1',
  chainId: 1,
  walletAddress: address.toLowerCase(),
  expiresAt: NOW + 30_000,
  isChecked: true,
};
const facts: Facts = {
  now: NOW,
  session,
  loadFault: undefined,
  wallet: { status: 'connected', address, chainId: 1 },
  foundWallets: 1,
  way,
  prepared: undefined,
  sent: undefined,
  unsureUntil: undefined,
  abandonedQuoteId: undefined,
  work: undefined,
  fault: undefined,
};
const disconnected = { status: 'disconnected', address: undefined, chainId: undefined } as const;
const of = (changes: Partial<SessionFacts>): Partial<Facts> => ({ session: { ...session, ...changes } });
const seen = { status: 'PENDING', txHash: '0x01', isInBlock: true } as const;
const attempt = { quoteId: 'q1', txHash: null };

/** The case, the facts that differ, and `card action notice`. An action in brackets is disabled. */
const grid: [string, Partial<Facts>, string][] = [
  ['nothing is known yet', { session: undefined }, 'loading - -'],
  ['the secret opens nothing', { session: undefined, loadFault: 'UNKNOWN' }, 'unknown - -'],
  ['the API is down', { session: undefined, loadFault: 'UNREACHABLE' }, 'unreachable retry -'],
  ['the API goes down later', { loadFault: 'UNREACHABLE' }, 'way prepare STALE'],
  ['no wallet', { wallet: disconnected, foundWallets: 0 }, 'wallet - NO_WALLET'],
  ['one wallet', { wallet: disconnected }, 'wallet connect -'],
  ['several wallets', { wallet: disconnected, foundWallets: 3 }, 'wallet - -'],
  ['the wallet comes back after a reload', { wallet: { ...disconnected, status: 'reconnecting' } }, 'wallet connect -'],
  ['connecting was declined', { wallet: disconnected, fault: 'REJECTED' }, 'wallet connect REJECTED'],
  ['connecting', { wallet: disconnected, work: 'connecting' }, 'wallet (connect) -'],
  ['a way is chosen', {}, 'way prepare -'],
  ['nothing can be chosen yet', { way: undefined }, 'way (prepare) -'],
  ['too little balance', { way: { ...way, isShort: true } }, 'way (prepare) TOO_LITTLE'],
  ['too little gas', { way: { ...way, lacksGas: true } }, 'way (prepare) NO_GAS'],
  ['wrong chain', { wallet: { ...facts.wallet, chainId: 5 } }, 'way switch WRONG_CHAIN'],
  ['the relay failed', of({ lastError: 'RELAY_FAILED' }), 'way prepare RELAY_FAILED'],
  ['preparing', { work: 'preparing' }, 'way (prepare) -'],
  ['a quote', { prepared }, 'sign sign -'],
  ['signing', { prepared, work: 'signing' }, 'sign (sign) -'],
  ['rejected signature', { prepared, fault: 'REJECTED' }, 'sign sign REJECTED'],
  ['wrong chain at signing', { prepared, wallet: { ...facts.wallet, chainId: 5 } }, 'sign switch WRONG_CHAIN'],
  ['expired quote', { prepared: { ...prepared, expiresAt: NOW } }, 'sign requote QUOTE_EXPIRED'],
  [
    'a quote that expires while the wallet is asked',
    { prepared: { ...prepared, expiresAt: NOW }, work: 'signing' },
    'sign (sign) -',
  ],
  ['not what is shown', { prepared: { ...prepared, isChecked: false }, fault: 'REJECTED' }, 'sign requote MISMATCH'],
  ['another account', { prepared: { ...prepared, walletAddress: '0xbb' } }, 'way prepare -'],
  ['a quote whose way is not the best any more', { prepared, way: { ...way, tokenKey: 'USDT-1' } }, 'sign sign -'],
  ['a quote whose way is offered no more', { prepared, way: undefined }, 'sign sign -'],
  ['expired session', of({ status: 'EXPIRED', payment: 'CANCELLED' }), 'expired - -'],
  ['a session whose time is over', of({ expiresAt: NOW }), 'expired - -'],
  [
    'a session that ends while the wallet is asked to pay',
    { ...of({ expiresAt: NOW }), prepared, work: 'sending' },
    'sign (sign) -',
  ],
  ['… and is expired for the API', { ...of({ status: 'EXPIRED' }), prepared, work: 'signing' }, 'sign (sign) -'],
  ['… while a batch waits', { ...of({ expiresAt: NOW }), prepared, work: 'waiting' }, 'sign (sign) -'],
  ['… while a signature is submitted', { ...of({ expiresAt: NOW }), prepared, work: 'confirming' }, 'sign (sign) -'],
  ['… after the payer started over', { ...of({ expiresAt: NOW }), fault: 'STARTED_OVER' }, 'expired - STARTED_OVER'],
  ['a session that ends before a price is locked', { ...of({ expiresAt: NOW }), work: 'preparing' }, 'expired - -'],
  ['cancelled by the merchant', of({ payment: 'CANCELLED' }), 'over - -'],
  ['capture failed for good', of({ payment: 'FAILED' }), 'over - -'],
  ['answered in another tab', { ...of({ attempt }), prepared }, 'progress:sent - -'],
  [
    'sent by this tab, and the API does not know',
    { prepared, sent: { quoteId: 'q1', txHash: '0x01' } },
    'progress:sent - -',
  ],
  ['the wallet did not say whether it sent', { prepared, unsureUntil: NOW + 1, fault: 'UNSURE' }, 'unsure - -'],
  ['… and the payer looks for another way', { unsureUntil: NOW + 1 }, 'unsure - -'],
  ['… and takes the wallet away', { wallet: disconnected, unsureUntil: NOW + 1 }, 'unsure - -'],
  ['… and the session ends', { ...of({ expiresAt: NOW }), unsureUntil: NOW + 1 }, 'unsure - -'],
  ['… and the API goes down', { unsureUntil: NOW + 1, loadFault: 'UNREACHABLE' }, 'unsure - STALE'],
  ['… and it had', { ...of({ authorization: seen }), unsureUntil: NOW + 1 }, 'progress:seen - -'],
  ['… and nothing came in its time', { prepared, unsureUntil: NOW, fault: 'UNSURE' }, 'sign sign UNSURE'],
  [
    'its transaction reverted',
    { ...of({ attempt }), abandonedQuoteId: 'q1', fault: 'TX_FAILED' },
    'way prepare TX_FAILED',
  ],
  ['seen by the chain', of({ attempt, authorization: seen }), 'progress:seen - -'],
  ['queued to be sent', of({ attempt, authorization: { ...seen, isInBlock: false } }), 'progress:sent - -'],
  ['reorg', of({ attempt, authorization: { ...seen, status: 'REORGED' } }), 'progress:reorged - -'],
  [
    'on its way, though the session expired',
    of({ status: 'EXPIRED', attempt, authorization: seen }),
    'progress:seen - -',
  ],
  [
    'on its way, API down',
    { ...of({ attempt, authorization: seen }), loadFault: 'UNREACHABLE' },
    'progress:seen - STALE',
  ],
  ['paid', of({ status: 'COMPLETE', payment: 'CAPTURED', attempt }), 'receipt:paid - -'],
  ['paid before its session was told', of({ payment: 'CAPTURED' }), 'receipt:paid - -'],
  [
    'completed in another tab',
    { ...of({ status: 'COMPLETE', payment: 'SETTLED' }), prepared, work: 'signing' },
    'receipt:paid - -',
  ],
  ['held', of({ payment: 'AUTHORIZED', captureMode: 'MANUAL' }), 'receipt:held - -'],
  ['refunded', of({ status: 'COMPLETE', payment: 'REFUNDED' }), 'receipt:refunded - -'],
  ['subscribed', of({ mode: 'SUBSCRIPTION', payment: 'CAPTURED' }), 'receipt:subscribed - -'],
  ['a trial begun', of({ mode: 'SUBSCRIPTION', payment: null, status: 'COMPLETE' }), 'receipt:trial - -'],
  ['a trial to begin', of({ mode: 'SUBSCRIPTION', payment: null }), 'way prepare -'],
];

describe('the page', () => {
  it.each(grid)('%s', (_about, changes, expected) => {
    const view = viewOf({ ...facts, ...changes });
    const card = [view.card, 'stage' in view ? view.stage : 'outcome' in view ? view.outcome : undefined]
      .filter(Boolean)
      .join(':');
    const { primary } = view;
    const action = !primary ? '-' : primary.isBusy || primary.isOff ? `(${primary.action})` : primary.action;
    expect(`${card} ${action} ${view.notice ?? '-'}`).toBe(expected);
  });

  it('shows the transaction of a payment as soon as it is known', () => {
    const hash = (changes: Partial<Facts>) => {
      const view = viewOf({ ...facts, ...changes });
      return view.card === 'progress' ? view.txHash : undefined;
    };
    expect(hash({ sent: { quoteId: 'q1', txHash: '0x02' } })).toBe('0x02');
    expect(hash(of({ attempt: { quoteId: 'q1', txHash: '0x03' }, authorization: { ...seen, txHash: null } }))).toBe(
      '0x03',
    );
    expect(hash(of({ attempt, authorization: seen }))).toBe('0x01');
  });
});
