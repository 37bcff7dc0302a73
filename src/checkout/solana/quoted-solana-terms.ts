/** The terms of one quote on Solana: the intent's rules, the app's settings and the locked price. */
import type { App } from '../../../prisma/client.ts';
import type { SolanaTerms } from '../../escrow/solana/solana-terms.ts';
import type { PriceEvidence } from '../../prices/price-evidence.ts';
import { AUTHORIZE_GRACE_SECONDS, type QuotedIntent, quoteHash } from '../quoted-terms.ts';

/** `base` is in Unix seconds: the later of the clock and the cluster's time, so that a slow clock shortens no deadline. */
export function quotedSolanaTerms(request: {
  chainId: number;
  quoteId: string;
  intent: QuotedIntent;
  app: Pick<App, 'disputeTimeout' | 'disputeTimeoutPayerBps'>;
  payer: string;
  merchant: string;
  mint: string | null;
  amount: bigint;
  evidence: PriceEvidence;
  vaultOwner: string;
  vault: string;
  reference: string;
  base: number;
  quoteSeconds: number;
  /** Null if no fee is taken. */
  feeRecipient: string | null;
}): SolanaTerms {
  const { intent, app, feeRecipient } = request;
  return {
    intentId: intent.id,
    payer: request.payer,
    merchant: request.merchant,
    mint: request.mint,
    amount: request.amount,
    vaultOwner: request.vaultOwner,
    vault: request.vault,
    reference: request.reference,
    payBy: request.base + request.quoteSeconds + AUTHORIZE_GRACE_SECONDS,
    timelock: intent.timelockDuration,
    // Settlements on Solana cannot be stopped, so no dispute window is promised.
    disputeWindow: 0,
    disputeTimeout: app.disputeTimeout,
    timeoutPayerBps: app.disputeTimeoutPayerBps,
    feeBps: feeRecipient === null ? 0 : intent.platformFeeBps,
    feeRecipient,
    quoteHash: quoteHash(request),
    stray: null,
  };
}
