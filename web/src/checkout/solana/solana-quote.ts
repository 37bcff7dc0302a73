/** A price that is held on Solana, for one wallet or for whoever scans its code. */
import { CheckoutSolanaPrepareDocument } from '../../../../generated/web/documents.ts';
import { ask } from '../../api/ask.ts';
import { tokenOf } from '../../settings.ts';
import type { Option } from '../pay/ways.ts';
import type { SessionName } from '../session/use-checkout.ts';
import { isShownTransfer } from './check-transaction.ts';
import { OtherPayment, readPaymentUrl } from './payment-url.ts';

export type SolanaQuote = {
  quoteId: string;
  /** As it was when the price was held: the session's options may change meanwhile. */
  option: Option;
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
  recipient: string;
  /** The amount as a decimal number, in the form that wallets expect. */
  amount: string;
  /** Whether the wallet has less than that of the token. */
  isShort: boolean;
  /** Whether the transaction is what is shown; nothing else is asked of a wallet. */
  isChecked: boolean;
};

/** A transaction names a block of the last minute or so, and is refused after that. */
const TRANSACTION_GOOD_MS = 45_000;

/** Throws ApiError, OtherPayment, and an Error where the answer is not what Solana is paid by. */
export async function prepareSolana(
  { id, credential }: SessionName,
  request: { option: Option; walletAddress: string | null },
): Promise<SolanaQuote> {
  const { option, walletAddress } = request;
  const { chainId, tokenKey, decimals } = option;
  const input = { chainId, tokenKey, method: 'DIRECT' as const, walletAddress };
  const { prepareCheckout: given } = await ask(CheckoutSolanaPrepareDocument, { id, input }, { credential });
  const { quote, steps, walletBalance } = given;
  const [step] = steps;
  const token = tokenOf(tokenKey);
  if (step?.kind !== 'solanaTransaction' || !step.paymentUrl || !token)
    throw new Error('The quote is none for Solana.');
  if (quote.tokenKey !== tokenKey || quote.chainId !== chainId || token.decimals !== decimals) {
    throw new OtherPayment('The quote is for another token.');
  }
  const units = BigInt(quote.cryptoAmount);
  const shown = { token: token.address, amount: units, decimals };
  const { recipient, amount } = readPaymentUrl(step.paymentUrl, shown);
  return {
    quoteId: quote.id,
    option,
    cryptoAmount: quote.cryptoAmount,
    expiresAt: Date.parse(quote.expiresAt),
    madeAt: Date.now(),
    walletAddress,
    transaction: step.transaction ?? null,
    paymentUrl: step.paymentUrl,
    recipient,
    amount,
    isShort: walletAddress !== null && BigInt(walletBalance) < units,
    isChecked:
      walletAddress !== null && isShownTransfer(step.transaction ?? '', { ...shown, payer: walletAddress, recipient }),
  };
}

/** Whether its transaction may be too old by the time the payer has signed it. */
export function isStale(quote: SolanaQuote, now: number): boolean {
  return now - quote.madeAt > TRANSACTION_GOOD_MS;
}
