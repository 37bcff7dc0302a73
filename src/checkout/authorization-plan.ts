/**
 * How the payment of a quote reaches the contract, and what the payer has to sign. The plan is stored with the quote, so
 * that the payer's signatures are checked against exactly what was requested.
 */
import { type Address, type Hex, hashTypedData, type TypedDataDefinition } from 'viem';
import { z } from 'zod';
import { contractAddress, type Token } from '../chains/chain.ts';
import { permitTypedData, receiveTypedData } from '../chains/evm/erc20.ts';
import {
  authorizeWithAllowanceCall,
  authorizeWithPermitCall,
  authorizeWithReceiveCall,
  type Call,
} from '../escrow/calldata.ts';
import { type PaymentTerms, termsHash, termsTypedData } from '../escrow/terms.ts';

/**
 * Deadlines are in Unix seconds. `receive` is ERC-3009, where one signature serves as both permit and consent. `transfer` requires no
 * signature, because sending to the deposit address is the consent.
 */
export type AuthorizationPlan =
  | { kind: 'direct' }
  | { kind: 'allowance' }
  | { kind: 'permit'; deadline: number; nonce: string }
  | { kind: 'receive'; validBefore: number }
  | { kind: 'transfer' };

const planSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('direct') }),
  z.object({ kind: z.literal('allowance') }),
  z.object({ kind: z.literal('permit'), deadline: z.int(), nonce: z.string().regex(/^\d+$/) }),
  z.object({ kind: z.literal('receive'), validBefore: z.int() }),
  z.object({ kind: z.literal('transfer') }),
]);

/** Reads a quote's `plan` column. */
export function readPlan(column: unknown): AuthorizationPlan {
  return planSchema.parse(column);
}

export type Signatures = { permit?: Hex | undefined; consent?: Hex | undefined; receive?: Hex | undefined };
export type SignatureName = keyof Signatures;

/** Terms with their chain and escrow, and the token from the registry. */
export type PlannedPayment = { chainId: number; escrow: Address; terms: PaymentTerms; token: Token };

/** What the payer has to sign, in order. */
export function askedSignatures(
  plan: AuthorizationPlan,
  payment: PlannedPayment,
): { name: SignatureName; typedData: TypedDataDefinition }[] {
  const { chainId, escrow, terms, token } = payment;
  const consent = { name: 'consent' as const, typedData: termsTypedData({ chainId, escrow, terms }) };
  switch (plan.kind) {
    case 'direct':
    case 'transfer':
      return [];
    case 'allowance':
      return [consent];
    case 'permit': {
      const typedData = permitTypedData({
        ...domainOf(payment, token.permit),
        owner: terms.payer,
        spender: escrow,
        value: terms.amount,
        nonce: BigInt(plan.nonce),
        deadline: plan.deadline,
      });
      return [{ name: 'permit', typedData }, consent];
    }
    case 'receive': {
      const typedData = receiveTypedData({
        ...domainOf(payment, token.receive),
        from: terms.payer,
        to: escrow,
        value: terms.amount,
        validBefore: plan.validBefore,
        nonce: termsHash(terms),
      });
      return [{ name: 'receive', typedData }];
    }
    default:
      return plan satisfies never;
  }
}

/** The digest that is signed for this typed data. */
export function signedDigest(typedData: TypedDataDefinition): Hex {
  return hashTypedData(typedData);
}

/** The operator's call that submits the signed payment, or null if nothing is submitted before the payer has sent it. Requires all requested signatures. */
export function relayCall(
  plan: AuthorizationPlan,
  payment: Pick<PlannedPayment, 'escrow' | 'terms'>,
  signed: Signatures & { operatorSignature: Hex },
): Call | null {
  const { escrow, terms } = payment;
  const { operatorSignature } = signed;
  switch (plan.kind) {
    case 'direct':
    case 'transfer':
      return null;
    case 'allowance':
      return authorizeWithAllowanceCall({ escrow, terms, operatorSignature, payerSignature: present(signed.consent) });
    case 'permit':
      return authorizeWithPermitCall({
        escrow,
        terms,
        operatorSignature,
        payerSignature: present(signed.consent),
        permitDeadline: plan.deadline,
        permitSignature: present(signed.permit),
      });
    case 'receive':
      return authorizeWithReceiveCall({
        escrow,
        terms,
        operatorSignature,
        validBefore: plan.validBefore,
        receiveSignature: present(signed.receive),
      });
    default:
      return plan satisfies never;
  }
}

function domainOf(payment: PlannedPayment, domain: { name: string; version: string } | null) {
  if (domain === null) throw new Error(`${payment.token.key} lost a signing ability that a quote relies on.`);
  return { ...domain, chainId: payment.chainId, token: contractAddress(payment.token) };
}

function present(signature: Hex | undefined): Hex {
  if (signature === undefined) throw new Error('A relay was built before its signatures were checked.');
  return signature;
}
