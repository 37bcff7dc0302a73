/**
 * The hosted page as a state machine: the API, the wallet and the clock determine the card that is shown, the action of its button, and the
 * sentence above it. It is pure, and specified by the grid in `test/web/checkout/steps.test.ts`.
 *
 * ```
 * loading ─► wallet ─► way ─► sign ─► progress ─► receipt
 *    └─► unknown · unreachable    │   └► expired · over      (a reorg takes a receipt back to progress)
 *                                 └► unsure ─► progress, or back when the payer denies it or its time is over
 * ```
 *
 * The API is the authority for the payment, and the wallet for itself. What happened only in this tab, such as a transaction that the API
 * has not received yet, can only move the page forward to `progress`.
 */

export type PaymentStatus =
  | 'CREATED'
  | 'AUTHORIZED'
  | 'CAPTURED'
  | 'SETTLED'
  | 'CANCELLED'
  | 'REFUND_PENDING'
  | 'REFUNDED'
  | 'FAILED';

/** What the page knows about the session, without the amounts and ids that only the cards print. */
export type SessionFacts = {
  status: 'OPEN' | 'COMPLETE' | 'EXPIRED';
  mode: 'PAYMENT' | 'SUBSCRIPTION';
  /** The payer replaces the consent of a running subscription. */
  isConsentRenewal?: boolean;
  /** Milliseconds. */
  expiresAt: number;
  lastError: string | null;
  payment: PaymentStatus | null;
  captureMode: 'AUTOMATIC' | 'MANUAL';
  attempt: { quoteId: string; txHash: string | null } | null;
  authorization: {
    status: 'PENDING' | 'CONFIRMED' | 'FAILED' | 'REORGED';
    txHash: string | null;
    isInBlock: boolean;
  } | null;
};

export type WalletFacts = {
  status: 'connected' | 'connecting' | 'reconnecting' | 'disconnected';
  address: string | undefined;
  chainId: number | undefined;
};

/** The chosen way to pay, with what the wallet lacks for it, if known. */
export type ChosenWay = { tokenKey: string; chainId: number; isShort: boolean; lacksGas: boolean };

export type PreparedFacts = {
  quoteId: string;
  tokenKey: string;
  chainId: number;
  walletAddress: string;
  /** Milliseconds. */
  expiresAt: number;
  isChecked: boolean;
};

export type Work = 'connecting' | 'switching' | 'preparing' | 'signing' | 'sending' | 'waiting' | 'confirming';

export type Facts = {
  /** Milliseconds, by the gateway's clock. */
  now: number;
  session: SessionFacts | undefined;
  /** Why the session could not be read. Not shown while an older state is available. */
  loadFault: 'UNKNOWN' | 'UNREACHABLE' | undefined;
  wallet: WalletFacts;
  foundWallets: number;
  way: ChosenWay | undefined;
  prepared: PreparedFacts | undefined;
  /** A transaction that this tab's wallet sent and that the API may not know yet. */
  sent: { quoteId: string; txHash: string } | undefined;
  /** Time until which a payment may appear if the wallet did not report whether it sent it. Milliseconds, by the gateway's clock. */
  unsureUntil: number | undefined;
  /** The quote of an attempt that this page saw fail, because its transaction reverted. */
  abandonedQuoteId: string | undefined;
  work: Work | undefined;
  /** What went wrong in this tab. */
  fault: string | undefined;
};

export type Stage = 'sent' | 'seen' | 'reorged';
export type Outcome = 'paid' | 'held' | 'subscribed' | 'trial' | 'renewed' | 'refunded';

export type Card =
  | { card: 'loading' | 'unknown' | 'unreachable' | 'expired' | 'wallet' | 'way' | 'sign' }
  | { card: 'unsure'; until: number }
  | { card: 'over'; why: 'CANCELLED' | 'FAILED' }
  | { card: 'progress'; stage: Stage; txHash: string | null }
  | { card: 'receipt'; outcome: Outcome };

/** The action of the button; `isBusy` while the action runs and the button cannot be pressed. */
export type Primary =
  | { action: 'connect' | 'switch' | 'prepare' | 'sign' | 'requote' | 'retry'; isBusy: boolean; isOff: boolean }
  | undefined;

export type View = Card & { primary: Primary; notice: string | undefined };

export function viewOf(facts: Facts): View {
  const card = cardOf(facts);
  return { ...card, primary: primaryOf(facts, card), notice: noticeOf(facts, card) };
}

function cardOf(facts: Facts): Card {
  const { session } = facts;
  if (!session) {
    if (facts.loadFault === 'UNKNOWN') return { card: 'unknown' };
    return { card: facts.loadFault === 'UNREACHABLE' ? 'unreachable' : 'loading' };
  }
  const outcome = outcomeOf(session);
  if (outcome) return { card: 'receipt', outcome };
  if (session.payment === 'CANCELLED' && session.status !== 'EXPIRED') return { card: 'over', why: 'CANCELLED' };
  if (session.payment === 'FAILED') return { card: 'over', why: 'FAILED' };
  const progress = progressOf(facts, session);
  if (progress) return progress;
  if (facts.unsureUntil !== undefined && facts.unsureUntil > facts.now)
    return { card: 'unsure', until: facts.unsureUntil };
  const isOver = session.status === 'EXPIRED' || session.expiresAt <= facts.now;
  if (isOver && !mayStillPay(facts)) return { card: 'expired' };
  if (facts.wallet.status !== 'connected') return { card: 'wallet' };
  return { card: fittingQuote(facts) ? 'sign' : 'way' };
}

/** The wallet has a request, or the API a signature, that may still pay. Only the payer can end this, by starting over. */
function mayStillPay({ work }: Facts): boolean {
  return work === 'signing' || work === 'sending' || work === 'waiting' || work === 'confirming';
}

function outcomeOf(session: SessionFacts): Outcome | undefined {
  switch (session.payment) {
    case 'REFUNDED':
      return 'refunded';
    case 'AUTHORIZED':
      return session.captureMode === 'MANUAL' ? 'held' : 'paid';
    case 'CAPTURED':
    case 'SETTLED':
    case 'REFUND_PENDING':
      return session.mode === 'SUBSCRIPTION' ? 'subscribed' : 'paid';
    case null:
      if (session.status !== 'COMPLETE') return undefined;
      return session.isConsentRenewal ? 'renewed' : 'trial';
    default:
      return undefined;
  }
}

/** A payment in progress, according to the chain, a response in any tab, or this tab's wallet. */
function progressOf(facts: Facts, session: SessionFacts): Card | undefined {
  const { authorization, attempt } = session;
  if (authorization?.status === 'REORGED') {
    return { card: 'progress', stage: 'reorged', txHash: authorization.txHash };
  }
  if (authorization && authorization.status !== 'FAILED') {
    const stage = authorization.isInBlock ? 'seen' : 'sent';
    return { card: 'progress', stage, txHash: authorization.txHash ?? attempt?.txHash ?? null };
  }
  for (const own of [attempt, facts.sent]) {
    if (own && own.quoteId !== facts.abandonedQuoteId) return { card: 'progress', stage: 'sent', txHash: own.txHash };
  }
  return undefined;
}

/** A quote is for one wallet. It stays valid when the ways to pay change, and is dropped when the payer chooses another. */
function fittingQuote({ prepared, wallet }: Facts): boolean {
  return prepared !== undefined && prepared.walletAddress.toLowerCase() === wallet.address?.toLowerCase();
}

function primaryOf(facts: Facts, card: Card): Primary {
  const isBusy = facts.work !== undefined;
  const button = (action: NonNullable<Primary>['action'], isOff = false): Primary => ({ action, isBusy, isOff });
  switch (card.card) {
    case 'unreachable':
      return button('retry');
    case 'wallet':
      // With several wallets, each has its own button.
      return facts.foundWallets === 1 ? button('connect') : undefined;
    case 'way': {
      const { way, wallet } = facts;
      if (way === undefined) return button('prepare', true);
      if (way.isShort || way.lacksGas) return button('prepare', true);
      return button(wallet.chainId === way.chainId ? 'prepare' : 'switch');
    }
    case 'sign': {
      const { prepared, wallet } = facts;
      if (!prepared) return undefined;
      // A quote may expire while the wallet's response is pending. The API then decides.
      if (prepared.expiresAt <= facts.now && !isBusy) return button('requote');
      if (!prepared.isChecked) return button('requote');
      return button(wallet.chainId === prepared.chainId ? 'sign' : 'switch');
    }
    default:
      return undefined;
  }
}

/** The name of the sentence above the button; what happened in this tab takes precedence over the API's record. */
function noticeOf(facts: Facts, card: Card): string | undefined {
  const { session, prepared } = facts;
  if (card.card === 'progress' || card.card === 'receipt' || card.card === 'unsure') return facts.loadFault && 'STALE';
  if (card.card === 'sign' && prepared && !prepared.isChecked) return 'MISMATCH';
  if (facts.fault) return facts.fault;
  // Not while a request is pending, because its sentence says that nothing was charged.
  if (card.card === 'sign' && prepared && prepared.expiresAt <= facts.now && !mayStillPay(facts))
    return 'QUOTE_EXPIRED';
  if (card.card === 'wallet' && facts.foundWallets === 0 && facts.wallet.status === 'disconnected') return 'NO_WALLET';
  if (card.card === 'way' && facts.way?.isShort) return 'TOO_LITTLE';
  if (card.card === 'way' && facts.way?.lacksGas) return 'NO_GAS';
  if ((card.card === 'way' || card.card === 'sign') && isElsewhere(facts)) return 'WRONG_CHAIN';
  if (session?.lastError && (card.card === 'way' || card.card === 'wallet')) return session.lastError;
  return session && facts.loadFault ? 'STALE' : undefined;
}

function isElsewhere({ prepared, way, wallet }: Facts): boolean {
  const wanted = prepared?.chainId ?? way?.chainId;
  return wanted !== undefined && wallet.chainId !== wanted;
}
