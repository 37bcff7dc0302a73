import { getAddress, zeroAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { contractAddress } from '../../chains/chain.ts';
import { type PaymentTerms, termsHash, termsToJson, termsTypedData } from '../../escrow/terms.ts';
import type { AuthorizationPlan } from '../authorization-plan.ts';
import type { CheckoutWorld } from '../checkout-world.ts';
import { stepsFor } from '../payment-step.ts';
import type { PaymentToPlan, PlannedQuote } from '../planned-quote.ts';
import { type Parties, quotedTerms } from '../quoted-terms.ts';
import type { EvmWay } from '../way-to-pay.ts';
import { readKeptAllowance } from './kept-allowance.ts';
import { readCheckoutChain } from './read-checkout-chain.ts';
import { transferStep } from './transfer-step.ts';

/**
 * Returns the contract's terms, signed by the operator, and the steps in which the wallet pays them. Writes nothing. Throws
 * CHAIN_UNAVAILABLE and CONFLICT.
 */
export async function planEvmPayment(world: CheckoutWorld, way: EvmWay, asked: PaymentToPlan): Promise<PlannedQuote> {
  const reading = await readCheckoutChain(world, way);
  const { quoted, now } = asked;
  const { allowance } = reading.wallet;
  const kept = await readKeptAllowance(world, { way, paymentIntentId: asked.intent.id, allowance, now });
  const terms = quotedTerms({
    chainId: way.chain.chainId,
    quoteId: asked.quoteId,
    intent: asked.intent,
    app: asked.app,
    payer: way.payer,
    merchant: getAddress(asked.merchant),
    token: contractAddress(way.token),
    amount: quoted.cryptoAmount,
    evidence: quoted.evidence,
    base: Math.max(Math.floor(now.getTime() / 1000), reading.timestamp),
    quoteSeconds: asked.quoteSeconds,
    graceSeconds: asked.graceSeconds,
    parties: partiesOf(world),
  });
  const payment = { chainId: way.chain.chainId, escrow: way.chain.escrow, terms, token: way.token };
  const plan = planFor(way, terms, reading.wallet.permitNonce);
  const operatorSignature = await world.operator.signTypedData(termsTypedData(payment));
  return {
    termsHash: termsHash(terms),
    terms: termsToJson(terms),
    authorizeBy: new Date(terms.authorizeBy * 1000),
    operatorSignature,
    plan,
    steps:
      plan.kind === 'transfer'
        ? [transferStep({ ...payment, expiresAt: new Date(now.getTime() + asked.quoteSeconds * 1000) })]
        : stepsFor({ plan, payment, operatorSignature, allowance, kept }),
    walletBalance: reading.wallet.balance,
    walletAllowance: allowance,
  };
}

/** The fee recipient defaults to the operator's address; without an arbiter there are no disputes. */
export function partiesOf(world: CheckoutWorld): Parties {
  const { arbiter, feeRecipient } = world.config;
  const ofKey = arbiter.privateKey === undefined ? zeroAddress : privateKeyToAddress(arbiter.privateKey);
  return {
    operator: world.operator.address,
    arbiter: arbiter.address ?? ofKey,
    feeRecipient: feeRecipient ?? world.operator.address,
  };
}

/** Uses ERC-3009 if the token supports it: one signature, and no allowance remains. */
function planFor(
  way: Pick<EvmWay, 'method' | 'token'>,
  terms: PaymentTerms,
  permitNonce: bigint | null,
): AuthorizationPlan {
  switch (way.method) {
    case 'DIRECT':
      return { kind: 'direct' };
    case 'APPROVAL':
      return { kind: 'allowance' };
    case 'TRANSFER':
      return { kind: 'transfer' };
    case 'PERMIT':
      if (way.token.receive !== null) return { kind: 'receive', validBefore: terms.authorizeBy + 1 };
      return { kind: 'permit', deadline: terms.authorizeBy, nonce: String(permitNonce ?? 0n) };
    default:
      return way.method satisfies never;
  }
}
