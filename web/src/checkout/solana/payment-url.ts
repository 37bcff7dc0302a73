import { plainDecimal } from '../../ui/formats/money.ts';

/** The URL of a payment differs from what the screen shows. */
export class OtherPayment extends Error {
  override readonly name = 'OtherPayment';
}

/**
 * The contents of the payment's URL, for payers who type it into a wallet, as in the QR code. `token` is a mint or `native`, and `amount`
 * is in base units. Throws OtherPayment unless the URL is for exactly this payment.
 */
export function readPaymentUrl(
  url: string,
  shown: { token: string; amount: bigint; decimals: number },
): { recipient: string; amount: string } {
  const { protocol, pathname, searchParams } = parsed(url);
  const amount = plainDecimal(shown.amount, shown.decimals);
  const isShown =
    protocol === 'solana:' &&
    isOnly(searchParams, 'amount', amount) &&
    isOnly(searchParams, 'spl-token', shown.token === 'native' ? undefined : shown.token);
  if (!isShown) throw new OtherPayment('The payment’s URL is not for what is shown.');
  return { recipient: pathname, amount };
}

function parsed(url: string): URL {
  try {
    return new URL(url);
  } catch (cause) {
    throw new OtherPayment('This is no URL.', { cause });
  }
}

/** Wallets accept one or the other form. */
function isOnly(params: URLSearchParams, name: string, value: string | undefined): boolean {
  const all = params.getAll(name);
  return value === undefined ? all.length === 0 : all.length === 1 && all[0] === value;
}
