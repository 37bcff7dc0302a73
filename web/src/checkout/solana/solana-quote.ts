/** A price that is held on Solana, for one wallet or for whoever scans its code. */
import { CheckoutSolanaPrepareDocument } from '../../../../generated/web/documents.ts';
import { ask } from '../../api/ask.ts';
import { tokenOf } from '../../settings.ts';
import type { Option } from '../pay/ways.ts';
import type { SessionName } from '../session/use-checkout.ts';
import { isShownTransfer } from './check-transaction.ts';
import { readPaymentUrl } from './payment-url.ts';

export type SolanaQuote = {
  quoteId: string;
  tokenKey: string;
  /** Base units. */
  cryptoAmount: string;
  /** Milliseconds, by the gateway's clock. */
  expiresAt: number;
  /** Milliseconds, by this browser's clock. */
  madeAt: number;
  /** Null for whoever scans. */
  walletAddress: string | null;
  /** Base64; null for whoever scans. */
  transaction: string | null;
  paymentUrl: string;
  /** An SVG document. */
  paymentQr: string;
  /** Whether the wallet has less than that of the token. */
  isShort: boolean;
  /** Whether the transaction is what is shown; nothing else is asked of a wallet. */
  isChecked: boolean;
};

/** A transaction names a block of the last minute or so, and is refused after that. */
const TRANSACTION_GOOD_MS = 45_000;

/** Throws ApiError, and an Error where the answer is not what Solana is paid by. */
export async function prepareSolana(
  { id, credential }: SessionName,
  request: { option: Option; walletAddress: string | null },
): Promise<SolanaQuote> {
  const { option, walletAddress } = request;
  const { chainId, tokenKey } = option;
  const input = { chainId, tokenKey, method: 'DIRECT' as const, walletAddress };
  const { prepareCheckout: given } = await ask(CheckoutSolanaPrepareDocument, { id, input }, { credential });
  const { quote, steps, walletBalance } = given;
  const [step] = steps;
  if (step?.kind !== 'solanaTransaction' || !step.paymentUrl || !step.paymentQr || quote.tokenKey !== tokenKey) {
    throw new Error('The quote is none for Solana.');
  }
  const amount = BigInt(quote.cryptoAmount);
  const token = tokenOf(tokenKey);
  const { recipient } = readPaymentUrl(step.paymentUrl);
  const isChecked =
    walletAddress !== null &&
    token !== undefined &&
    isShownTransfer(step.transaction ?? '', {
      payer: walletAddress,
      recipient,
      token: token.address,
      amount,
      decimals: token.decimals,
    });
  return {
    quoteId: quote.id,
    tokenKey,
    cryptoAmount: quote.cryptoAmount,
    expiresAt: Date.parse(quote.expiresAt),
    madeAt: Date.now(),
    walletAddress,
    transaction: step.transaction ?? null,
    paymentUrl: step.paymentUrl,
    paymentQr: step.paymentQr,
    isShort: walletAddress !== null && BigInt(walletBalance) < amount,
    isChecked,
  };
}

/** Whether its transaction may be too old by the time the payer has signed it. */
export function isStale(quote: SolanaQuote, now: number): boolean {
  return now - quote.madeAt > TRANSACTION_GOOD_MS;
}
