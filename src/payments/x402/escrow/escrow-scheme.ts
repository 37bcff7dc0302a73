import { type Address, zeroAddress } from 'viem';
import { readWallet } from '../../../chains/evm/read-wallet.ts';
import { canonicalSignature, isSignedByKey, isSignedOnChain } from '../../../chains/evm/signature.ts';
import { readPayable } from '../../../chains/payable-address.ts';
import { askedSignatures, signedDigest } from '../../../checkout/authorization-plan.ts';
import { readUnderWay } from '../under-way.ts';
import {
  invalidAnswer,
  isSameAttempt,
  type Refusal,
  refusedSettlement,
  type VerifyAnswer,
  validAnswer,
} from '../x402-types.ts';
import type { EvaluatedPayment, SchemeRules, X402World } from '../x402-world.ts';
import { type EscrowPayment, endingFault, readEscrowPayment, requestFault } from './escrow-payment.ts';
import { followPayment } from './follow-payment.ts';
import { failureOf, type Outcome, readOutcome } from './read-outcome.ts';
import { takeEscrowPayment } from './take-escrow-payment.ts';

/** An ordinary payment of the escrow contract, signed by the client with EIP-3009. It can be refunded and disputed. */
export const escrowScheme: SchemeRules = {
  async isTaken(world, evaluated) {
    const { payment } = readEscrowPayment(evaluated);
    return payment !== null && (await readOutcome(world.database, keyOf(evaluated, payment))) !== null;
  },

  async verify(world, evaluated) {
    const { payment, refusal } = readEscrowPayment(evaluated);
    if (refusal) return invalidAnswer(refusal);
    const key = keyOf(evaluated, payment);
    const known = await readOutcome(world.database, key);
    const fault = known ? null : await newPaymentFault(world, evaluated, payment);
    // A concurrent call may have taken it since it was looked up.
    const taken = fault ? await readOutcome(world.database, key) : known;
    if (taken) return verifyTaken(evaluated, taken, payment.terms.payer);
    return fault ? invalidAnswer(fault) : validAnswer(payment.terms.payer);
  },

  async settle(world, evaluated) {
    const { network } = evaluated.requirements;
    const { payment, refusal } = readEscrowPayment(evaluated);
    if (refusal) return refusedSettlement(network, refusal);
    const key = keyOf(evaluated, payment);
    const known = await readOutcome(world.database, key);
    const fault = known ? null : await takeNew(world, evaluated, payment);
    // A concurrent call may have taken it since it was looked up.
    const taken = known ?? (await readOutcome(world.database, key));
    if (fault && !taken) return refusedSettlement(network, fault);
    const other = taken && requestFault(taken.intent, evaluated);
    if (other) return refusedSettlement(network, { ...other, payer: payment.terms.payer });
    const { app, attemptId, waitMs } = evaluated;
    return await followPayment(world, { ...key, appId: app.id, network, attemptId, waitMs });
  },
};

function keyOf({ chain }: EvaluatedPayment, { termsHash }: EscrowPayment) {
  return { chainId: chain.chainId, termsHash };
}

function verifyTaken(evaluated: EvaluatedPayment, taken: Outcome, payer: Address): VerifyAnswer {
  const fault = requestFault(taken.intent, evaluated);
  if (fault) return invalidAnswer({ ...fault, payer });
  if (taken.answeredAt && !isSameAttempt(taken.answeredTo, evaluated.attemptId)) {
    const message = 'This authorization has paid for a call already.';
    return invalidAnswer({ reason: 'authorization_used', message, payer });
  }
  return taken.kind === 'FAILED' ? invalidAnswer({ ...failureOf(taken), payer }) : validAnswer(payer);
}

/** Takes a payment that was not found. Returns why it was refused, or null. */
async function takeNew(world: X402World, evaluated: EvaluatedPayment, payment: EscrowPayment): Promise<Refusal | null> {
  return (await newPaymentFault(world, evaluated, payment)) ?? (await takeEscrowPayment(world, evaluated, payment));
}

/** Why a payment that has not been taken yet would fail, or null. */
async function newPaymentFault(
  world: X402World,
  evaluated: EvaluatedPayment,
  payment: EscrowPayment,
): Promise<Refusal | null> {
  const { terms, planned, plan, signed } = payment;
  const { chain, token } = evaluated;
  const payer = terms.payer;
  const ending = endingFault(payment, Math.floor(world.clock.now().getTime() / 1000));
  if (ending) return ending;
  if (terms.operator.toLowerCase() !== world.operator.address.toLowerCase()) {
    return {
      reason: 'quote_expired',
      message: 'The key that signs for this gateway has changed since the offer.',
      payer,
    };
  }
  const payable = readPayable([chain], { family: 'EVM', text: payer });
  if (payable.fault !== null || payer === zeroAddress) {
    return { reason: 'invalid_payload', message: `The payer ${payable.fault ?? 'is the zero address'}.`, payer };
  }
  const [asked] = askedSignatures(plan, planned);
  if (!asked) throw new Error('An authorization asks for a signature.');
  const question = {
    signer: payer,
    digest: signedDigest(asked.typedData),
    signature: canonicalSignature(signed.signature),
  };
  const { isSigned, balance } = await world.nodes.asking(chain.chainId, async (client) => ({
    isSigned: (await isSignedByKey(question)) || (await isSignedOnChain({ client }, question)),
    balance: (await readWallet({ client }, { token: { ...token, permit: null }, wallet: payer, spender: chain.escrow }))
      .balance,
  }));
  if (!isSigned) {
    const message = `The signature is not ${payer}'s, of this authorization.`;
    return { reason: 'invalid_escrow_payload_signature', message, payer };
  }
  const { amount } = await readUnderWay(world.database, { chainId: chain.chainId, tokenKey: token.key, payer });
  if (balance >= terms.amount + amount) return null;
  return { reason: 'insufficient_funds', message: insufficient({ balance, amount, needed: terms.amount }), payer };
}

function insufficient({ balance, amount, needed }: { balance: bigint; amount: bigint; needed: bigint }): string {
  const held = amount === 0n ? '' : `, of which ${amount} are for payments under way`;
  return `The payer has ${balance} base units${held}; ${needed} are needed.`;
}
