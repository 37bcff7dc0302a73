/** What a node's refusal means. Nodes word the same fact differently; what is not recognised stays an error. */
import { BaseError, type Hex } from 'viem';

export type SendAnswer = 'TAKEN' | 'KNOWN' | 'NONCE_USED' | 'UNDERPRICED' | 'NO_FUNDS';

const refusals: [SendAnswer, RegExp][] = [
  ['KNOWN', /already known|already imported|known transaction|already in (the )?(mem)?pool/i],
  ['NONCE_USED', /nonce too low|nonce is too low|lower than the current nonce|old nonce|invalid nonce/i],
  ['UNDERPRICED', /underpriced|less than block base fee|fee too low|fee cap|below (the )?base fee|max fee per gas/i],
  ['NO_FUNDS', /insufficient funds|insufficient balance/i],
];

/** The meaning of an error from sending; null where it says nothing about the transaction. */
export function sendAnswer(error: unknown): Exclude<SendAnswer, 'TAKEN'> | null {
  const text = errorText(error);
  const found = refusals.find(([, words]) => words.test(text));
  return found && found[0] !== 'TAKEN' ? found[0] : null;
}

export type SimulationFault = { kind: 'REVERT'; data: Hex | null; message: string } | { kind: 'NO_FUNDS' };

/** The meaning of an error from simulating; null where the node itself failed. */
export function simulationFault(error: unknown): SimulationFault | null {
  const text = errorText(error);
  const data = revertData(error);
  if (data !== null || /revert/i.test(text)) return { kind: 'REVERT', data, message: 'Reverted without a reason' };
  if (/insufficient funds|insufficient balance|exceeds the balance/i.test(text)) return { kind: 'NO_FUNDS' };
  if (/out of gas|gas required exceeds|invalid opcode|OutOfGas|stack underflow/i.test(text)) {
    return { kind: 'REVERT', data: null, message: 'Ran out of gas or into an invalid operation' };
  }
  return null;
}

function revertData(error: unknown): Hex | null {
  if (!(error instanceof BaseError)) return null;
  let found: Hex | null = null;
  error.walk((cause) => {
    const data = typeof cause === 'object' && cause !== null && 'data' in cause ? cause.data : undefined;
    if (isHex(data) && data.length >= 10) found = data;
    return false;
  });
  return found;
}

function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && value.startsWith('0x');
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const parts: string[] = [];
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    parts.push(cause instanceof BaseError ? `${cause.shortMessage} ${cause.details}` : cause.message);
  }
  return parts.join(' | ');
}
