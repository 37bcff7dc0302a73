import { CheckoutPrepareDocument, type CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { ask } from '../../api/ask.ts';
import { inTime } from '../../api/in-time.ts';
import type { SessionName } from '../session/use-checkout.ts';
import { type CheckedStep, checkSteps, Mismatch } from './check-steps.ts';
import type { Prepared } from './payment-state.ts';
import { shownPayment } from './shown-payment.ts';
import type { Method, Priced } from './ways.ts';

export type ChosenMethod = Omit<Priced, 'cryptoAmount'> & { method: Method };

/** Locks a price, and compares the requests to the wallet with what is shown. Throws ApiError. */
export async function preparePayment(
  { id, credential }: SessionName,
  request: { view: CheckoutViewFragment; way: ChosenMethod; walletAddress: string; now: number },
): Promise<Prepared> {
  const { view, way, walletAddress } = request;
  const { chainId, chainName, tokenKey, symbol, decimals, method } = way;
  const input = { chainId, tokenKey, method, walletAddress };
  const { prepareCheckout: given } = await ask(
    CheckoutPrepareDocument,
    { id, input },
    { credential, signal: inTime() },
  );
  const { quote } = given;
  let steps: CheckedStep[] = [];
  let isChecked = false;
  try {
    if (quote.chainId !== chainId || quote.tokenKey !== tokenKey) throw new Mismatch('quote');
    steps = checkSteps(shownPayment(view, way, { address: walletAddress, now: request.now }), {
      ...given,
      steps: given.steps.map((step) => ({
        kind: step.kind,
        chainId: step.chainId ?? null,
        to: step.to ?? null,
        data: step.data ?? null,
        value: step.value ?? null,
        name: step.name ?? null,
        typedData: step.typedData,
      })),
    });
    isChecked = true;
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
  }
  return {
    chainId,
    chainName,
    tokenKey,
    symbol,
    decimals,
    method,
    quoteId: quote.id,
    walletAddress,
    cryptoAmount: quote.cryptoAmount,
    expiresAt: Date.parse(quote.expiresAt),
    steps,
    isChecked,
  };
}
