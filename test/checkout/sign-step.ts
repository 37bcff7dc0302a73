/** What a wallet does with a step that asks for a signature. */
import { type Hex, hashTypedData } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { PaymentStep } from '../../src/checkout/payment-step.ts';

type Signer = { privateKey: Hex };

export async function signStep(payer: Signer, step: Extract<PaymentStep, { kind: 'signTypedData' }>): Promise<Hex> {
  // A wallet takes typed data as JSON: what is signed must not depend on how the gateway held it.
  const { domain, types, primaryType, message } = JSON.parse(JSON.stringify(step.typedData));
  return await accountOf(payer).sign({ hash: hashTypedData({ domain, types, primaryType, message }) });
}

export function accountOf(payer: Signer) {
  return privateKeyToAccount(payer.privateKey);
}
