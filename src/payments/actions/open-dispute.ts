import { type Hex, hashTypedData, isHex, type TypedDataDefinition } from 'viem';
import { z } from 'zod';
import { type DatabaseTransaction, type PaymentIntent, transaction } from '../../../prisma/client.ts';
import { canonicalSignature, isSignedOnChain } from '../../chains/evm/signature.ts';
import { GatewayError, invalid } from '../../errors.ts';
import { disputeWithSignatureCall } from '../../escrow/calldata.ts';
import { disputeTypedData } from '../../escrow/dispute-request.ts';
import { RELAY_SENDER } from '../../operator/relay.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { newId } from '../../platform/identifier.ts';
import { parseInput } from '../../platform/parse-input.ts';
import { requestTransaction } from '../transactions/request-transaction.ts';
import type { ChainActionWorld, PaymentRequest } from './action-world.ts';
import { type HeldPayment, heldPayment } from './held-payment.ts';
import { lockPayment } from './lock-payment.ts';
import { reasonSchema } from './refund-amount.ts';
import { requireTransition } from './require-transition.ts';

export const EVIDENCE_LENGTH = 10_000;

/** The payer's statement in a dispute. */
export const disputeSchema = z.object({
  reason: reasonSchema,
  evidence: z.string().max(EVIDENCE_LENGTH, `at most ${EVIDENCE_LENGTH} characters`).nullish(),
});

/** The message that the payer still has to sign, or the transaction that opens the dispute. */
export type DisputeAnswer =
  | { paymentIntentId: string; status: 'SIGNATURE_REQUIRED'; typedData: TypedDataDefinition; transactionId: null }
  | { paymentIntentId: string; status: 'PENDING'; typedData: null; transactionId: string };

/**
 * Lets the payer dispute a captured payment within its dispute window. Without a signature it returns the EIP-712 message to sign
 * and writes nothing; with one it records the payer's statement and queues the relay. The contract's event opens the dispute.
 * Throws NOT_FOUND, INVALID_STATE (not captured, disputes not agreed, window over, already disputed) and VALIDATION_ERROR.
 */
export async function openDispute(
  world: ChainActionWorld,
  request: PaymentRequest & {
    reason: string;
    evidence?: string | null | undefined;
    signature?: string | null | undefined;
  },
): Promise<DisputeAnswer> {
  return await idempotently(world.database, request.idempotency, async (write) => {
    const { reason, evidence } = parseInput(disputeSchema, request);
    const { intent, held } = await transaction(world.database, (tx) => readDisputable(tx, { world, request }));
    const typedData = disputeTypedData({ chainId: held.chain.chainId, escrow: held.escrow, id: asHex(held.termsHash) });
    if (typeof request.signature !== 'string') {
      return { paymentIntentId: intent.id, status: 'SIGNATURE_REQUIRED', typedData, transactionId: null };
    }
    const signature = await checkedSignature(world, { held, typedData, given: request.signature });
    return await write(async (tx) => {
      const locked = await readDisputable(tx, { world, request });
      await tx.disputeRequest.create({
        data: {
          id: newId(),
          paymentIntentId: intent.id,
          chainId: locked.held.chainId,
          termsHash: locked.held.termsHash,
          reason,
          evidence: evidence ?? null,
          signature,
        },
      });
      const sent = await requestTransaction(tx, {
        paymentIntentId: intent.id,
        chainId: held.chain.chainId,
        termsHash: held.termsHash,
        type: 'DISPUTE',
        call: disputeWithSignatureCall({ escrow: held.escrow, terms: held.terms, payerSignature: signature }),
        amount: null,
        sender: RELAY_SENDER,
      });
      return { paymentIntentId: intent.id, status: 'PENDING', typedData: null, transactionId: sent.id };
    });
  });
}

async function readDisputable(
  tx: DatabaseTransaction,
  { world, request }: { world: ChainActionWorld; request: PaymentRequest },
): Promise<{ intent: PaymentIntent; held: HeldPayment }> {
  const intent = await lockPayment(tx, request);
  requireTransition(intent, 'DISPUTE');
  const held = await heldPayment(tx, { registry: world.registry, intent });
  const windowEnd = (intent.capturedAt?.getTime() ?? 0) + held.terms.disputeWindow * 1000;
  if (held.terms.disputeWindow === 0) {
    throw new GatewayError('INVALID_STATE', 'The terms of this payment do not allow disputes.');
  }
  if (world.clock.now().getTime() >= windowEnd) {
    throw new GatewayError('INVALID_STATE', `The window for a dispute ended at ${new Date(windowEnd).toISOString()}.`);
  }
  const disputed = await tx.dispute.findUnique({ where: { paymentIntentId: intent.id } });
  if (disputed)
    throw new GatewayError('INVALID_STATE', `The payment already has a dispute, which is ${disputed.status}.`);
  const pending = await tx.transaction.findFirst({
    where: { chainId: held.chainId, termsHash: held.termsHash, type: 'DISPUTE', status: 'PENDING' },
  });
  if (pending) throw new GatewayError('INVALID_STATE', 'A dispute of this payment is already being sent.');
  return { intent, held };
}

async function checkedSignature(
  { nodes }: ChainActionWorld,
  { held, typedData, given }: { held: HeldPayment; typedData: TypedDataDefinition; given: string },
): Promise<Hex> {
  const wrong = () =>
    invalid([{ param: 'signature', message: `is not the signature of this dispute by the payer ${held.terms.payer}` }]);
  if (!isHex(given) || given.length % 2 !== 0 || given.length > 20_000) throw wrong();
  const signature = canonicalSignature(given);
  const digest = hashTypedData(typedData);
  const isPayers = await nodes.asking(held.chain.chainId, (client) =>
    isSignedOnChain({ client }, { signer: held.terms.payer, digest, signature }),
  );
  if (!isPayers) throw wrong();
  return signature;
}

function asHex(text: string): Hex {
  if (!isHex(text)) throw new GatewayError('INTERNAL_ERROR', 'A terms hash is not hex.');
  return text;
}
