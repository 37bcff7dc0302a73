/** The steps in which a payer's wallet pays, in order: transactions to send and typed data to sign. */
import type { Address, Hex } from 'viem';
import { contractAddress, NATIVE, type Token } from '../chains/chain.ts';
import { approveData } from '../chains/evm/erc20.ts';
import { type TypedDataJson, typedDataToJson } from '../chains/evm/typed-data-json.ts';
import { authorizeCall } from '../escrow/calldata.ts';
import { printUnits } from '../prices/quote.ts';
import {
  type AuthorizationPlan,
  askedSignatures,
  type PlannedPayment,
  type SignatureName,
} from './authorization-plan.ts';

/**
 * `value` is wei as a decimal string. `typedData` has the format of `eth_signTypedData_v4`. `transaction` is null if no wallet was given. A
 * `transfer` is sent to `address` until `expiresAt`, exactly `amount` base units; `paymentUrl` is its EIP-681 form.
 */
export type PaymentStep =
  | { kind: 'transaction'; chainId: number; to: Address; data: Hex; value: string; description: string }
  | { kind: 'signTypedData'; name: SignatureName; typedData: TypedDataJson; description: string }
  | {
      kind: 'transfer';
      chainId: number;
      address: Address;
      tokenKey: string;
      amount: string;
      refundAddress: Address;
      expiresAt: string;
      paymentUrl: string;
      description: string;
    }
  | { kind: 'solanaTransaction'; transaction: string | null; paymentUrl: string; description: string };

/**
 * `allowance` is what the escrow may take from the wallet now, `kept` the part of it that other agreements rely on; both in base
 * units.
 */
export function stepsFor(request: {
  plan: AuthorizationPlan;
  payment: PlannedPayment;
  operatorSignature: Hex;
  allowance: bigint;
  kept: bigint;
}): PaymentStep[] {
  const { plan, payment } = request;
  const printed = `${printUnits(payment.terms.amount, payment.token.decimals)} ${payment.token.symbol}`;
  const approvals = plan.kind === 'direct' || plan.kind === 'allowance' ? approvalSteps({ ...request, printed }) : [];
  const signatures = askedSignatures(plan, payment).map(
    ({ name, typedData }): PaymentStep => ({
      kind: 'signTypedData',
      name,
      typedData: typedDataToJson(typedData),
      description: signingDescriptions[name](printed),
    }),
  );
  if (plan.kind !== 'direct') return [...approvals, ...signatures];
  const call = authorizeCall({ ...payment, operatorSignature: request.operatorSignature });
  const send: PaymentStep = {
    kind: 'transaction',
    chainId: payment.chainId,
    to: call.to,
    data: call.data,
    value: call.value.toString(),
    description: `Pay ${printed}.`,
  };
  return [...approvals, send];
}

const signingDescriptions: Record<SignatureName, (printed: string) => string> = {
  permit: (printed) => `Allow the escrow to take exactly ${printed}.`,
  consent: (printed) => `Agree to pay ${printed} on these terms.`,
  receive: (printed) => `Pay ${printed} on these terms.`,
};

/**
 * If the allowance does not cover the amount in addition to what others rely on: an approval of the sum of both, preceded by one
 * of zero if the token requires that.
 */
function approvalSteps(request: {
  payment: PlannedPayment;
  allowance: bigint;
  kept: bigint;
  printed: string;
}): PaymentStep[] {
  const { payment, allowance, kept, printed } = request;
  const amount = payment.terms.amount + kept;
  if (payment.token.address === NATIVE || allowance >= amount) return [];
  const print = (units: bigint) => `${printUnits(units, payment.token.decimals)} ${payment.token.symbol}`;
  const description =
    kept === 0n
      ? `Allow the escrow to take exactly ${printed}.`
      : `Allow the escrow to take ${print(amount)} in all: ${printed} now, and ${print(kept)} that this wallet allows already.`;
  return approveSteps({ ...payment, amount, allowance, description });
}

/** Transactions that change the escrow's allowance from `allowance` to `amount`, in base units. */
export function approveSteps(request: {
  chainId: number;
  escrow: Address;
  token: Token;
  amount: bigint;
  allowance: bigint;
  description: string;
}): PaymentStep[] {
  const { chainId, escrow, token } = request;
  const approve = (amount: bigint, description: string): PaymentStep => ({
    kind: 'transaction',
    chainId,
    to: contractAddress(token),
    data: approveData(escrow, amount),
    value: '0',
    description,
  });
  const needsReset = token.resetsAllowance && request.allowance > 0n;
  const reset = needsReset ? [approve(0n, 'Set the old allowance to zero first.')] : [];
  return [...reset, approve(request.amount, request.description)];
}
