/** Calls of the escrow contract, ready to be sent: one function per contract call. Amounts are base units. */
import { type Address, encodeFunctionData, type Hex, parseSignature, zeroAddress } from 'viem';
import type { RecurringConsent } from './consent.ts';
import { escrowAbi } from './escrow-abi.ts';
import type { PaymentTerms } from './terms.ts';

/** A transaction without sender, nonce and fees. `value` is wei. */
export type Call = { to: Address; data: Hex; value: bigint };

type OfPayment = { escrow: Address; terms: PaymentTerms };
type Authorization = OfPayment & { operatorSignature: Hex };

/** Sent by the payer; carries the amount as value for the native coin. */
export function authorizeCall({ escrow, terms, operatorSignature }: Authorization): Call {
  const value = terms.token === zeroAddress ? terms.amount : 0n;
  const data = encodeFunctionData({ abi: escrowAbi, functionName: 'authorize', args: [terms, operatorSignature] });
  return { to: escrow, data, value };
}

/** `permitSignature` is a key's signature of 65 bytes, the only kind that EIP-2612 accepts. */
export function authorizeWithPermitCall(
  request: Authorization & { payerSignature: Hex; permitDeadline: number; permitSignature: Hex },
): Call {
  const { r, s, yParity } = parseSignature(request.permitSignature);
  const args = [
    request.terms,
    request.operatorSignature,
    request.payerSignature,
    BigInt(request.permitDeadline),
    27 + yParity,
    r,
    s,
  ] as const;
  return call(request.escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'authorizeWithPermit', args }));
}

export function authorizeWithAllowanceCall(request: Authorization & { payerSignature: Hex }): Call {
  const args = [request.terms, request.operatorSignature, request.payerSignature] as const;
  return call(request.escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'authorizeWithAllowance', args }));
}

/** ERC-3009: the payer's authorization has the payment's id as nonce and 0 as validAfter. */
export function authorizeWithReceiveCall(
  request: Authorization & { validBefore: number; receiveSignature: Hex },
): Call {
  const args = [
    request.terms,
    request.operatorSignature,
    BigInt(request.validBefore),
    request.receiveSignature,
  ] as const;
  return call(request.escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'authorizeWithReceive', args }));
}

/** Collects exactly the amount from the payment's deposit address. Anyone may send it. */
export function authorizeFromDepositCall({ escrow, terms, operatorSignature }: Authorization): Call {
  const args = [terms, operatorSignature] as const;
  return call(escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'authorizeFromDeposit', args }));
}

/**
 * Pays the payer all that the payment's deposit address holds of `token` (zero for the native coin), or reverts. While the payment may
 * still be authorized, only the operator may send it for the terms' own token.
 */
export function returnDepositCall({ escrow, terms, token }: OfPayment & { token: Address }): Call {
  return call(escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'returnDeposit', args: [terms, token] }));
}

export function captureCall({ escrow, terms, amount, expectedLeft }: OfPayment & MoneyOut): Call {
  const args = [terms, amount, expectedLeft] as const;
  return call(escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'capture', args }));
}

/** `expectedLeft` is what the contract must hold for the payment before the call, or it reverts. */
type MoneyOut = { amount: bigint; expectedLeft: bigint };

export function refundCall({ escrow, terms, amount, expectedLeft }: OfPayment & MoneyOut): Call {
  const args = [terms, amount, expectedLeft] as const;
  return call(escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'refund', args }));
}

export function voidCall({ escrow, terms }: OfPayment): Call {
  return call(escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'void', args: [terms] }));
}

export function reclaimCall({ escrow, terms }: OfPayment): Call {
  return call(escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'reclaim', args: [terms] }));
}

export function settleCall({ escrow, terms }: OfPayment): Call {
  return call(escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'settle', args: [terms] }));
}

/** Sent by the payer. */
export function disputeCall({ escrow, terms }: OfPayment): Call {
  return call(escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'dispute', args: [terms] }));
}

export function disputeWithSignatureCall(request: OfPayment & { payerSignature: Hex }): Call {
  const args = [request.terms, request.payerSignature] as const;
  return call(request.escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'disputeWithSignature', args }));
}

/** Sent by the arbiter. `payerBps` is the payer's share, 0 to 10000. */
export function resolveCall({ escrow, terms, payerBps }: OfPayment & { payerBps: number }): Call {
  return call(escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'resolve', args: [terms, payerBps] }));
}

export function concedeCall({ escrow, terms }: OfPayment): Call {
  return call(escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'concede', args: [terms] }));
}

export function resolveByTimeoutCall({ escrow, terms }: OfPayment): Call {
  return call(escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'resolveByTimeout', args: [terms] }));
}

/** `operatorSignature` is over `chargeTypedData`, not over the terms. */
export function chargeCall(
  request: Authorization & { consent: RecurringConsent; period: number; consentSignature: Hex },
): Call {
  const args = [
    request.consent,
    request.period,
    request.terms,
    request.operatorSignature,
    request.consentSignature,
  ] as const;
  return call(request.escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'charge', args }));
}

/** Sent by the subscriber. No further charge is possible under this consent. */
export function revokeCall({ escrow, consent }: { escrow: Address; consent: RecurringConsent }): Call {
  return call(escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'revoke', args: [consent] }));
}

/** Sent by the credited recipient. `token` is the zero address for the native coin. */
export function claimCall({ escrow, token, to }: { escrow: Address; token: Address; to: Address }): Call {
  return call(escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'claim', args: [token, to] }));
}

/** Anyone may send it. Pays the recipient everything that it was credited in this token, or reverts. */
export function claimForCall(request: { escrow: Address; recipient: Address; token: Address }): Call {
  const { escrow, recipient, token } = request;
  return call(escrow, encodeFunctionData({ abi: escrowAbi, functionName: 'claimFor', args: [recipient, token] }));
}

function call(to: Address, data: Hex): Call {
  return { to, data, value: 0n };
}
