import { MedusaError } from '@medusajs/framework/utils';
import { refundUnits } from './amounts.ts';
import { type Intent, refundedUnits } from './payment-state.ts';
import { isInvalidState } from './provider-errors.ts';
import { type ProviderWorld, waitForIntent } from './wait-for-intent.ts';

export type RefundRequest = {
  id: string;
  /** In the currency of the order, a decimal string. */
  amount: string;
  /** The id of Medusa's refund, which is the idempotency key. */
  refundId: string;
  /** Base units of the refunds that Medusa has recorded before. */
  recorded: bigint;
};

/** How the payer sees a refund, and how this provider recognizes its own. */
const REASON = 'Medusa refund';

/**
 * Refunds floor(paid × refund ÷ amount) base units, and resolves to the intent when the gateway has accepted it. A refund that is
 * still being confirmed is waited for, because a payment has one at a time.
 *
 * Medusa deletes its refund if this throws, and a second try gets another id. If the answer to the first was lost, the gateway has
 * a refund of Medusa's that Medusa did not record: a second try of the same amount is then that refund, and nothing is sent.
 */
export async function refundIntent(world: ProviderWorld, request: RefundRequest): Promise<Intent> {
  const { id, amount, refundId } = request;
  const intent = await world.sluice.paymentIntents.get(id);
  if (intent.cryptoAmount === null) throw notAllowed(`Payment ${id} is ${intent.status}: nothing was paid.`);
  const units = refundUnits({ cryptoAmount: intent.cryptoAmount, amount: intent.amount }, amount);
  if (units === 0n) {
    throw new MedusaError(MedusaError.Types.INVALID_DATA, `${amount} ${intent.currency} is less than one base unit.`);
  }
  const lost = await findLostRefund(world, { intent, request });
  if (lost === undefined) {
    await send(world, { id, units, refundId });
  } else if (lost !== units) {
    throw notAllowed(
      `Sluice has refunded ${lost} base units of payment ${id} for Medusa, which Medusa has not recorded. ` +
        `Repeat that refund first, which records it and sends nothing; this one is of ${units} base units.`,
    );
  }
  return await world.sluice.paymentIntents.get(id);
}

/** Base units of the gateway's latest refund, if it was requested with another id and Medusa has not recorded it. */
async function findLostRefund(
  world: ProviderWorld,
  { intent, request }: { intent: Intent; request: RefundRequest },
): Promise<bigint | undefined> {
  if (refundedUnits(intent) <= request.recorded) return undefined;
  const decided = await waitForIntent(world, intent.id, ({ status }) => status !== 'REFUND_PENDING');
  if (decided.status === 'REFUND_PENDING') throw stillPending(intent.id);
  const { refundReason, refundTxHash } = decided;
  if (refundReason === null || !refundReason.startsWith(REASON) || refundReason === reasonOf(request.refundId)) {
    return undefined;
  }
  const sent = decided.transactions.find(({ type, txHash }) => type === 'REFUND' && txHash === refundTxHash);
  return sent?.amount == null ? undefined : BigInt(sent.amount);
}

async function send(world: ProviderWorld, refund: { id: string; units: bigint; refundId: string }): Promise<void> {
  const { id, units, refundId } = refund;
  const request = { amount: String(units), reason: reasonOf(refundId) };
  const post = () => world.sluice.paymentIntents.refund(id, request, { idempotencyKey: refundId });
  try {
    await post();
  } catch (error) {
    if (!isInvalidState(error)) throw error;
    const { status } = await world.sluice.paymentIntents.get(id);
    if (status !== 'REFUND_PENDING') throw error;
    const decided = await waitForIntent(world, id, (intent) => intent.status !== 'REFUND_PENDING');
    if (decided.status === 'REFUND_PENDING') throw stillPending(id);
    await post();
  }
}

function reasonOf(refundId: string): string {
  return `${REASON} ${refundId}`;
}

function stillPending(id: string): MedusaError {
  return notAllowed(`An earlier refund of payment ${id} is not final yet. Repeat this refund later.`);
}

function notAllowed(message: string): MedusaError {
  return new MedusaError(MedusaError.Types.NOT_ALLOWED, message);
}
