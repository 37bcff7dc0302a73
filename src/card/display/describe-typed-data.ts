import type { TypedDataDefinition } from 'viem';
import type { Registry } from '../../chains/registry.ts';
import { allowanceWarnings } from './describe-evm-transaction.ts';
import { type Display, isUnlimited, printAmount, shortened, tokenAt } from './display.ts';

/** What EIP-712 data allow: permits (EIP-2612) and transfers by signature (ERC-3009) in words, anything else by its names. */
export function describeTypedData(
  world: { registry: Registry },
  request: { chainId: number; typedData: TypedDataDefinition; namesChain: boolean },
): Display {
  const { typedData, chainId } = request;
  const contract = String(typedData.domain?.verifyingContract ?? '');
  const noChain = request.namesChain ? [] : ['The data name no chain: the signature may count on every one.'];
  const described = describeKnown(world, { chainId, contract, typedData }) ?? describeAny(typedData, contract);
  return { summary: described.summary, warnings: [...described.warnings, ...noChain] };
}

function describeKnown(
  world: { registry: Registry },
  request: { chainId: number; contract: string; typedData: TypedDataDefinition },
): Display | null {
  const { contract, typedData } = request;
  const message = recordOf(typedData.message);
  const amount = amountOf(message.value);
  if (contract === '' || amount === null) return null;
  const printed = printAmount(amount, tokenAt(world.registry, { ...request, address: contract }), contract);
  const until = untilOf(message.deadline ?? message.validBefore);
  switch (typedData.primaryType) {
    case 'Permit':
      return {
        summary: `Allow ${shortened(String(message.spender))} to spend ${printed}${until}.`,
        warnings: allowanceWarnings(shortened(String(message.spender)), amount),
      };
    case 'TransferWithAuthorization':
    case 'ReceiveWithAuthorization':
      return {
        summary: `Send ${printed} to ${shortened(String(message.to))}${until}.`,
        warnings: isUnlimited(amount) ? ['This sends everything that you hold of this token.'] : [],
      };
    default:
      return null;
  }
}

function describeAny(typedData: TypedDataDefinition, contract: string): Display {
  const name = shortened(String(typedData.domain?.name ?? 'an unnamed application'));
  const by = contract === '' ? '' : ` (contract ${shortened(contract)})`;
  const text = JSON.stringify(typedData.message, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  const mentionsUnlimited = [...text.matchAll(/\d{40,}/g)].some(([digits]) =>
    isUnlimited(BigInt(digits.slice(0, 100))),
  );
  return {
    summary: `Sign ${shortened(typedData.primaryType)} for ${name}${by}: ${shortened(text)}`,
    warnings: mentionsUnlimited
      ? ['The data name an amount without limit: it may allow somebody to take all of a token.']
      : [],
  };
}

function untilOf(instant: unknown): string {
  const seconds = amountOf(instant);
  if (seconds === null || seconds > 253_402_300_799n) return ', without an end';
  return `, until ${new Date(Number(seconds) * 1000).toISOString()}`;
}

function amountOf(value: unknown): bigint | null {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return null;
  try {
    return BigInt(value);
  } catch {
    return null;
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
