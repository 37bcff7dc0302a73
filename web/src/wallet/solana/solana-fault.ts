/** An error of a Solana wallet or its node, as one of the sentences under `checkout.fault`. */
import { Unsure } from '../unsure.ts';

export type SolanaFault = 'REJECTED' | 'NO_GAS' | 'UNSURE' | 'FAILED';

/** The standard defines no code for refusals, so the wallets' messages decide. Some wallets use 4001 as on EVM chains. */
export function solanaFault(error: unknown): SolanaFault {
  if (error instanceof Unsure) return 'UNSURE';
  const { code, text } = describedBy(error);
  if (code === 4001 || /reject|denied|declined|cancel|closed/.test(text)) return 'REJECTED';
  if (/insufficient|no record of a prior credit|attempt to debit/.test(text)) return 'NO_GAS';
  return 'FAILED';
}

/**
 * Whether the payer refused. Similar errors do not count: a wallet whose popup or connection closed, or whose request was
 * cancelled by a timeout, may have sent what it was asked to send.
 */
export function isPayersNo(error: unknown): boolean {
  const { code, text } = describedBy(error);
  return code === 4001 || /user (rejected|denied|declined)/.test(text);
}

function describedBy(error: unknown): { code: unknown; text: string } {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return { code, text: error instanceof Error ? error.message.toLowerCase() : '' };
}
