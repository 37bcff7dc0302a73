/** What the payment's URL says, for those who type it into a wallet: the same figures that are in the code. */
export function readPaymentUrl(url: string): { recipient: string; amount: string } {
  const { protocol, pathname, searchParams } = new URL(url);
  const amount = searchParams.get('amount');
  if (protocol !== 'solana:' || amount === null) throw new Error('This is no Solana Pay URL.');
  return { recipient: pathname, amount };
}
