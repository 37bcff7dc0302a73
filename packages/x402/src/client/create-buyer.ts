/**
 * A buyer pays other people's x402 servers from a budget. An amount is counted before it is signed, so concurrent calls cannot exceed the
 * budget together. It is released at once if nothing was signed. What was signed stays counted until its authorization has ended and the
 * token shows that it was never used, because a server that responds with an error could still collect it until then.
 */
import { x402Client } from '@x402/core/client';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import type { ClientEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { type Budget, BudgetError, choose, requireBudget, requireHost, toUnits } from './budget.ts';
import { type BuyerStore, dayOf, memoryStore, type Receipt } from './buyer-store.ts';
import { EscrowEvmScheme, type EscrowSchemeOptions } from './escrow-scheme.ts';
import { readPaidResponse } from './paid-response.ts';
import { openReconciler } from './reconcile.ts';
import { REPEAT_FOR_MS, type Sending, type SignedPayment, sendUntilAnswered } from './send-until-answered.ts';

export type BuyerOptions = {
  /** Such as viem's `privateKeyToAccount(…)`. */
  signer: ClientEvmSigner;
  budget: Budget;
  /** Kept in memory by default. */
  store?: BuyerStore;
  /** In the order of preference; `escrow` before `exact` by default. */
  schemes?: ('escrow' | 'exact')[];
  /** What escrow payments must agree to. */
  escrow?: EscrowSchemeOptions;
  /** Nodes by network, such as `{ 'eip155:8453': 'https://…' }`. Without one, what was signed is never released. */
  rpcUrls?: Record<string, string>;
  /**
   * How long a signed payment is sent again while the connection breaks or the status is 409 `payment_in_progress`, 502, 503 or 504; 60 s by
   * default.
   */
  repeatForMs?: number;
  fetch?: typeof fetch;
  /** Milliseconds; the machine's clock by default. */
  now?: () => number;
};

export type Buyer = {
  /**
   * Like the global `fetch`; pays a 402 response once. Rejects with a BudgetError, with nothing signed, if the budget forbids it, and with an
   * UnansweredPaymentError if a signed payment may have been charged and got no response.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** For other transports: chooses, counts and signs. `url` names who is paid. */
  sign(required: PaymentRequired, about: { url: string; method: string }): Promise<SignedPayment>;
  /** The newest first. */
  receipts(): Promise<Receipt[]>;
  /** Releases signed payments that have expired and, according to the chain, were never used. Ends after 15 s at the latest, with the oldest ones first. */
  reconcile(): Promise<void>;
};

export function createBuyer(options: BuyerOptions): Buyer {
  const { signer, budget, rpcUrls = {} } = options;
  requireBudget(budget);
  const store = options.store ?? memoryStore();
  const schemes = options.schemes ?? ['escrow', 'exact'];
  const { now = Date.now, repeatForMs = REPEAT_FOR_MS } = options;
  const send = options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
  const reconciler = openReconciler({ store, rpcUrls, fetch: send });
  // The budget limits amounts and tokens.
  const client = new x402Client()
    .register('eip155:*', new ExactEvmScheme(signer))
    .register('eip155:*', new EscrowEvmScheme(signer, { now, ...options.escrow }))
    .setSpendControls(false);

  async function reserve(receipt: Receipt): Promise<void> {
    const limit = toUnits(budget.perDay);
    if (await store.reserve(receipt, limit)) return;
    await reconciler.day(dayOf(receipt));
    if (await store.reserve(receipt, limit)) return;
    throw new BudgetError('PER_DAY_EXCEEDED', `The call would exceed the ${budget.perDay} that may be spent in a day.`);
  }

  async function sign(required: PaymentRequired, about: { url: string; method: string }): Promise<SignedPayment> {
    requireHost(budget, about.url);
    if (required.x402Version !== 2 || !Array.isArray(required.accepts)) {
      throw new BudgetError('INVALID_OFFER', 'The offer is not one of x402 version 2.');
    }
    const { accepted, units } = choose(budget, required.accepts, schemes);
    const { scheme, network, asset, amount, payTo } = accepted;
    const receipt: Receipt = {
      id: crypto.randomUUID(),
      at: new Date(now()).toISOString(),
      ...about,
      ...{ scheme, network, asset, amount, payTo },
      units: units.toString(),
      payer: signer.address,
      nonce: null,
      validBefore: null,
      status: 'reserved',
      transaction: null,
    };
    await reserve(receipt);
    let payload: PaymentPayload;
    try {
      payload = await client.createPaymentPayload({ ...required, accepts: [accepted] });
    } catch (error) {
      await store.update(receipt.id, { status: 'released' });
      throw error;
    }
    const { nonce, validBefore } = payload.payload.authorization as { nonce: string; validBefore: string };
    const signed = { ...receipt, nonce, validBefore: Number(validBefore), status: 'unconfirmed' as const };
    await store.update(receipt.id, signed);
    return {
      payload,
      header: encodePaymentSignatureHeader(payload),
      validBefore: signed.validBefore,
      confirm: async (settled) => {
        if (!settled?.success) return signed;
        const change = { status: 'charged' as const, transaction: settled.transaction || null };
        await store.update(receipt.id, change);
        return { ...signed, ...change };
      },
    };
  }

  async function pay(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    const again = request.clone();
    const response = await send(request);
    const offer = response.status === 402 ? response.headers.get('payment-required') : null;
    if (offer === null) return response;
    const url = response.redirected ? response.url : request.url;
    requireHost(budget, url);
    if (response.redirected && !['GET', 'HEAD'].includes(request.method)) {
      throw new BudgetError(
        'INVALID_OFFER',
        'A request with a body was redirected, and is not repeated with a payment.',
      );
    }
    await response.body?.cancel();
    const { method, signal } = request;
    signal.throwIfAborted();
    const payment = await sign(readOffer(offer), { url, method });
    const sending = sendingOf({ send, payment, request: response.redirected ? new Request(url, again) : again });
    return sendUntilAnswered({ ...sending, repeatForMs, now }, { signal });
  }

  return { fetch: pay, sign, reconcile: reconciler.all, receipts: () => store.list() };
}

/** `request` is the one that the server answered with 402. */
type PaidCall = { send: typeof fetch; payment: SignedPayment; request: Request };

function sendingOf({ send, payment, request }: PaidCall): Omit<Sending<Response>, 'repeatForMs' | 'now'> {
  return {
    payment,
    send: ({ signal = null }) => {
      const paid = new Request(request.clone(), { redirect: 'manual', signal });
      paid.headers.set('payment-signature', payment.header);
      return send(paid);
    },
    read: readPaidResponse,
    discard: (response) => void response.body?.cancel().catch(() => undefined),
  };
}

function readOffer(header: string): PaymentRequired {
  try {
    return decodePaymentRequiredHeader(header);
  } catch {
    throw new BudgetError('INVALID_OFFER', 'The PAYMENT-REQUIRED header cannot be read.');
  }
}
