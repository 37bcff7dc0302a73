/** A price that is locked on Solana, for one wallet or for any payer who scans the QR code. */
import { CheckoutSolanaPrepareDocument } from '../../../../generated/web/documents.ts';
import { ask } from '../../api/ask.ts';
import { inTime } from '../../api/in-time.ts';
import { tokenOf } from '../../settings.ts';
import type { Option } from '../pay/ways.ts';
import type { SessionName } from '../session/use-checkout.ts';
import { isShownTransfer } from './check-transaction.ts';
import { OtherPayment, readPaymentUrl } from './payment-url.ts';

export type SolanaQuote = {
  quoteId: string;
  /** The option when the price was locked, because the session's options may change later. */
  option: Option;
  /** Base units. */
  cryptoAmount: string;
  /** Milliseconds, by the gateway's clock. */
  expiresAt: number;
  /** Milliseconds, by this browser's clock. */
  madeAt: number;
  /** Null for a QR code. */
  walletAddress: string | null;
  /** Base64; null for a QR code. */
  transaction: string | null;
  paymentUrl: string;
  recipient: string;
  /** The amount as a decimal number, in the form that wallets expect. */
  amount: string;
  /** Whether the wallet's balance of the token is less than the amount. */
  isShort: boolean;
  /** Whether the transaction matches the screen. A wallet is never requested to sign any other. */
  isChecked: boolean;
};

/** A transaction names a block of the last minute or so, and is refused after that. */
const TRANSACTION_GOOD_MS = 45_000;

/** Throws ApiError, OtherPayment, and an Error if the response is not a payment on Solana. */
export async function prepareSolana(
  { id, credential }: SessionName,
  request: { option: Option; walletAddress: string | null },
): Promise<SolanaQuote> {
  const { option, walletAddress } = request;
  const { chainId, tokenKey, decimals } = option;
  const input = { chainId, tokenKey, method: 'DIRECT' as const, walletAddress };
  const { prepareCheckout: given } = await ask(
    CheckoutSolanaPrepareDocument,
    { id, input },
    { credential, signal: inTime() },
  );
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
