/**
 * What a payment waits for that does not resolve by itself, and what to do about it. Causes by what is waited for:
 *
 * - MONEY. GAS: the sending key cannot pay for gas. RENT: the fee recipient's share is kept for it on Solana. PAYER_BALANCE: the
 *   balance of the payer's wallet is too low.
 * - ALLOWANCE. PAYER_ALLOWANCE: the escrow's allowance from the payer's wallet is too low.
 * - RECIPIENT. UNDELIVERED: the escrow keeps a payout that it could not deliver. KEPT_SHARE: the same on Solana. UNPAYABLE: a payout
 *   that is not sent until its recipient can receive it. DEPOSIT: money at a deposit address whose return fails. SETTLEMENT: a settlement that
 *   waits for its merchant to be payable.
 * - PERSON. DISPUTE, CAPTURE: decisions with a deadline. GIVEN_UP, REFUSED, UNMINED, UNSENT: transactions. PAYOUT: a payout that an
 *   operator has to check. CONSENT: a renewal that needs another signature or decision. CHAIN_PAUSED, CHAIN_HALTED: a chain that is
 *   paused or halted while payments are in escrow on it.
 *
 * Each cause is derived from the records that establish it: outgoing transactions, credited payouts, intents, disputes, renewal attempts
 * and chain cursors. This module stores nothing.
 */
import type { PayoutRole, TransactionType } from '../../../prisma/client.ts';
import type { RenewalCauseCode } from '../../subscriptions/renewal/renewal-cause.ts';
import { payerLack } from './payer-lack.ts';

const waits = ['MONEY', 'ALLOWANCE', 'RECIPIENT', 'PERSON'] as const;
export type WaitsFor = (typeof waits)[number];

export type Cause =
  | 'GAS'
  | 'RENT'
  | 'PAYER_BALANCE'
  | 'PAYER_ALLOWANCE'
  | 'UNDELIVERED'
  | 'KEPT_SHARE'
  | 'UNPAYABLE'
  | 'SETTLEMENT'
  | 'DEPOSIT'
  | 'DISPUTE'
  | 'CAPTURE'
  | 'GIVEN_UP'
  | 'REFUSED'
  | 'UNMINED'
  | 'UNSENT'
  | 'PAYOUT'
  | 'CONSENT'
  | 'CHAIN_PAUSED'
  | 'CHAIN_HALTED';

const waitsForOf = {
  GAS: 'MONEY',
  RENT: 'MONEY',
  PAYER_BALANCE: 'MONEY',
  PAYER_ALLOWANCE: 'ALLOWANCE',
  UNDELIVERED: 'RECIPIENT',
  KEPT_SHARE: 'RECIPIENT',
  UNPAYABLE: 'RECIPIENT',
  SETTLEMENT: 'RECIPIENT',
  DEPOSIT: 'RECIPIENT',
  DISPUTE: 'PERSON',
  CAPTURE: 'PERSON',
  GIVEN_UP: 'PERSON',
  REFUSED: 'PERSON',
  UNMINED: 'PERSON',
  UNSENT: 'PERSON',
  PAYOUT: 'PERSON',
  CONSENT: 'PERSON',
  CHAIN_PAUSED: 'PERSON',
  CHAIN_HALTED: 'PERSON',
} as const satisfies { [Each in Cause]: WaitsFor };

export function waitsFor(cause: Cause): WaitsFor {
  return waitsForOf[cause];
}

/** Sorts by what is waited for, then oldest first. */
export function byUrgency(
  left: { waitsFor: WaitsFor; since: string },
  right: { waitsFor: WaitsFor; since: string },
): number {
  const order = waits.indexOf(left.waitsFor) - waits.indexOf(right.waitsFor);
  return order !== 0 ? order : left.since.localeCompare(right.since);
}

export type OpenSending = {
  status: 'QUEUED' | 'SIGNED' | 'SENT' | 'FAILED';
  waitsFor: 'GAS' | 'RECIPIENT' | 'PERSON' | null;
  type: TransactionType | null;
  failures: number;
  error: string | null;
};

/** Returns the cause for a transaction that is not sent, not mined or has failed, or null for one that is in progress and not old. */
export function sendingCause(sending: OpenSending, { isOld }: { isOld: boolean }): Cause | null {
  const { status, error } = sending;
  if (status !== 'FAILED' && sending.waitsFor !== null) return waitingCauses[sending.waitsFor];
  const lack = sending.type === 'AUTHORIZE' && status !== 'SENT' ? payerLack(error ?? '') : null;
  if (status === 'FAILED') return lack ?? 'GIVEN_UP';
  if (status === 'QUEUED' && sending.failures > 0) return lack ?? (isOld ? 'REFUSED' : null);
  if (!isOld) return null;
  return status === 'QUEUED' ? 'UNSENT' : 'UNMINED';
}

const waitingCauses = { GAS: 'GAS', RECIPIENT: 'UNPAYABLE', PERSON: 'PAYOUT' } as const;

/**
 * A share kept on Solana can be paid once its wallet holds rent. Funding the fee recipient's wallet is the installation's responsibility.
 */
export function payoutCause({ role, keptAt }: { role: PayoutRole; keptAt: string | null }): Cause {
  if (keptAt === null) return 'UNDELIVERED';
  return role === 'FEE_RECIPIENT' ? 'RENT' : 'KEPT_SHARE';
}

/** Returns the cause by the code of the last charge attempt, or null if it resolves by itself. */
export function renewalCause(code: RenewalCauseCode): Cause | null {
  switch (code) {
    case 'INSUFFICIENT_BALANCE':
      return 'PAYER_BALANCE';
    case 'INSUFFICIENT_ALLOWANCE':
    case 'PERMIT_EXPIRED':
      return 'PAYER_ALLOWANCE';
    case 'CAP_EXCEEDED':
    case 'CONSENT_REVOKED':
    case 'CONSENT_MISSING':
    case 'WALLET_REMOVED':
    case 'CHARGE_FAILED':
    case 'PAYMENT_CANCELLED':
      return 'CONSENT';
    case 'CHARGE_LATE':
    case 'CHAIN_UNAVAILABLE':
    case 'CHAIN_PAUSED':
    case 'PRICE_UNAVAILABLE':
    case 'PERIOD_NOT_OPEN':
      return null;
    default:
      throw new Error(`No such cause: ${String(code satisfies never)}`);
  }
}

export type Advised = {
  chainId: number | null;
  chain: string;
  coin: string;
  /** Symbol of the token to be paid. */
  symbol: string;
  recipient?: string;
  tokenKey?: string | null;
  outgoingId?: string;
  /** Whether an operator has acknowledged the payout. */
  acknowledged?: boolean;
  isRenewal?: boolean;
};

/** Returns what to do, in one sentence. */
export function whatToDo(cause: Cause, about: Advised): string {
  const { chainId, chain, coin, symbol } = about;
  switch (cause) {
    case 'GAS':
      return `Send ${coin} on ${chain} to the key named in the cause; waiting transactions are then sent automatically.`;
    case 'RENT':
      return `Send ${about.recipient} some ${coin}, at least the rent exemption; the share is then paid automatically.`;
    case 'PAYER_BALANCE':
      return about.isRenewal
        ? `Ask the customer to add ${symbol} to the wallet; the charge is retried automatically while retries remain.`
        : `Ask the payer to add ${symbol} to the wallet and to pay again if the checkout says so.`;
    case 'PAYER_ALLOWANCE':
      return about.isRenewal
        ? `Ask the customer to approve the escrow for ${symbol} again; the charge is retried automatically while retries remain.`
        : `Ask the payer to approve the escrow for ${symbol} and to pay again if the checkout says so.`;
    case 'UNDELIVERED':
      return about.acknowledged
        ? 'Do nothing: an operator has acknowledged it, and it is still retried every few hours.'
        : `Ask the issuer of ${symbol} or the recipient why it cannot be paid; if nothing more can be done, run: npm run ops -- payouts acknowledge ${about.recipient} --token ${about.tokenKey} --note <words>`;
    case 'KEPT_SHARE':
      return `Ask the recipient to add some ${coin} to ${about.recipient}; the share is then paid automatically.`;
    case 'UNPAYABLE':
      return `Ask the recipient to enable its wallet to receive ${symbol} on ${chain}; the payout is checked again every 15 minutes.`;
    case 'SETTLEMENT':
      return `Ask the merchant, or the issuer of ${symbol}, why the payout address cannot be paid; the payment settles automatically as soon as it can, and a day after its timelock in any case.`;
    case 'DEPOSIT':
      return `Ask the payer, or the issuer of ${symbol}, why ${about.recipient} cannot receive it; the return is retried automatically at least every 6 hours, and only the payer can ever receive it.`;
    case 'DISPUTE':
      return 'Have the merchant concede it or the arbiter resolve it before the deadline; after it, the terms determine the result.';
    case 'CAPTURE':
      return 'Have the merchant capture or cancel the payment before the deadline; after it, the funds are returned to the payer.';
    case 'GIVEN_UP':
      return 'Fix the cause named in the error, then have the merchant repeat the step, or run: npm run ops -- sweep';
    case 'REFUSED':
      return `Fix the cause named in the error, or abandon the transaction: npm run ops -- transaction abandon --id ${about.outgoingId} --reason <words>`;
    case 'UNMINED':
      return `Raise MAX_FEE_PER_GAS_WEI_${chainId} if fees on ${chain} exceed it, or abandon the transaction: npm run ops -- transaction abandon --id ${about.outgoingId} --reason <words>`;
    case 'UNSENT':
      return `Check that a worker runs with this key and that fees on ${chain} are below MAX_FEE_PER_GAS_WEI_${chainId}.`;
    case 'PAYOUT':
      return 'Inspect the vault on its chain, and report the cause unless a deposit from a stranger explains it.';
    case 'CONSENT':
      return 'Have the customer consent again by a new checkout, or have the merchant change or cancel the subscription.';
    case 'CHAIN_PAUSED':
      return `Once the reason no longer applies, accept payments again: npm run ops -- chain resume ${chainId}`;
    case 'CHAIN_HALTED':
      return `Compare the chain with a second node, and then run: npm run ops -- chain resync ${chainId}`;
    default:
      throw new Error(`No such cause: ${String(cause satisfies never)}`);
  }
}
