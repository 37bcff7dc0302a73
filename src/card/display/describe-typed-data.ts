import type { TypedDataDefinition } from 'viem';
import type { Registry } from '../../chains/registry.ts';
import { allowanceWarnings } from './describe-evm-transaction.ts';
import {
  bigintAsText,
  type Display,
  isLong,
  isUnlimited,
  printAmount,
  printed,
  shortened,
  tokenAt,
} from './display.ts';

/**
 * What EIP-712 data allows: permits (EIP-2612) and transfers by signature (ERC-3009) as text, anything else by its field names.
 */
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
  // DAI's permits have no amount: they allow everything or nothing.
  const isAll = typedData.primaryType === 'Permit' && message.value === undefined && message.allowed === true;
  const amount = isAll ? 2n ** 256n - 1n : amountOf(message.value);
  if (contract === '' || amount === null) return null;
  const token = printAmount(amount, tokenAt(world.registry, { ...request, address: contract }), contract);
  const until = untilOf(message.deadline ?? message.validBefore ?? message.expiry);
  switch (typedData.primaryType) {
    case 'Permit':
      return {
        summary: `Allow ${printed(message.spender)} to spend ${token}${until}.`,
        warnings: allowanceWarnings(printed(message.spender), amount),
      };
    case 'TransferWithAuthorization':
    case 'ReceiveWithAuthorization':
      return {
        summary: `Send ${token} to ${printed(message.to)}${until}.`,
        warnings: isUnlimited(amount) ? ['This sends everything that you hold of this token.'] : [],
      };
    default:
      return null;
  }
}

function describeAny(typedData: TypedDataDefinition, contract: string): Display {
  const name = printed(typedData.domain?.name ?? 'an unnamed application');
  const by = contract === '' ? '' : ` (contract ${shortened(contract)})`;
  const text = JSON.stringify(typedData.message, bigintAsText) ?? '';
  const isAll = hasUnlimited(typedData, { type: typedData.primaryType, value: typedData.message });
  return {
    summary: `Sign ${shortened(typedData.primaryType)} for ${name}${by}: ${shortened(text)}`,
    warnings: [
      ...(isAll ? ['The data name an amount without limit: it may allow somebody to take all of a token.'] : []),
      ...(isLong(text) ? ['The data say more than what is shown here.'] : []),
    ],
  };
}

/** Names of large numbers that are not amounts. */
const NO_AMOUNT = /nonce|salt|deadline|expir|valid|hash|id$/i;

/** Whether any integer in the message is an unlimited amount, in whatever notation. */
function hasUnlimited(typedData: TypedDataDefinition, at: { type: string; value: unknown; name?: string }): boolean {
  const { type, value, name = '' } = at;
  if (Array.isArray(value)) {
    const element = type.replace(/\[\d*\]$/, '');
    return value.some((member) => hasUnlimited(typedData, { type: element, value: member, name }));
  }
  const fields = typedData.types[type];
  if (Array.isArray(fields)) {
    // Types may be recursive, so only existing values are traversed.
    if (typeof value !== 'object' || value === null) return false;
    const members = recordOf(value);
    return fields.some((field) =>
      hasUnlimited(typedData, { type: String(field.type), value: members[field.name], name: String(field.name) }),
    );
  }
  const amount = /^u?int\d*$/.test(type) && !NO_AMOUNT.test(name) ? amountOf(value) : null;
  return amount !== null && isUnlimited(amount);
}

function untilOf(instant: unknown): string {
  const seconds = amountOf(instant);
  if (seconds === null || seconds > 253_402_300_799n) return ', without an end';
  if (seconds < 0n) return ', until a time that is over';
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
