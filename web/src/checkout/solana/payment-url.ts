import { plainDecimal } from '../../ui/formats/money.ts';

/** The URL of a payment asks for something else than what stands on the screen. */
export class OtherPayment extends Error {
  override readonly name = 'OtherPayment';
}

/**
 * What the payment's URL says, for those who type it into a wallet: the same figures that are in the code. `token` is a mint
 * or `native`, `amount` base units. Throws OtherPayment where the URL is not for exactly that.
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

/** Wallets differ in which of two they take. */
function isOnly(params: URLSearchParams, name: string, value: string | undefined): boolean {
  const all = params.getAll(name);
  return value === undefined ? all.length === 0 : all.length === 1 && all[0] === value;
}
