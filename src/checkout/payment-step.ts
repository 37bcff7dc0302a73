/** What a payer's wallet does, in order, to pay: transactions to send and typed data to sign. */
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

/** `value` is wei as a decimal string; `typedData` as `eth_signTypedData_v4` takes it; `transaction` null for no wallet. */
export type PaymentStep =
  | { kind: 'transaction'; chainId: number; to: Address; data: Hex; value: string; description: string }
  | { kind: 'signTypedData'; name: SignatureName; typedData: TypedDataJson; description: string }
  | { kind: 'solanaTransaction'; transaction: string | null; paymentUrl: string; description: string };

/** `allowance` is what the escrow may take from the wallet now, in base units. */
export function stepsFor(request: {
  plan: AuthorizationPlan;
  payment: PlannedPayment;
  operatorSignature: Hex;
  allowance: bigint;
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

/** An approval of the exact amount where the allowance is too small, set to zero first where the token wants that. */
function approvalSteps(request: { payment: PlannedPayment; allowance: bigint; printed: string }): PaymentStep[] {
  const { payment, allowance } = request;
  if (payment.token.address === NATIVE || allowance >= payment.terms.amount) return [];
  const description = `Allow the escrow to take exactly ${request.printed}.`;
  return approveSteps({ ...payment, amount: payment.terms.amount, allowance, description });
}

/** Transactions that set the escrow's allowance to `amount`, from `allowance`; base units. */
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
