import { getTypesForEIP712Domain, hashTypedData, type TypedDataDefinition, validateTypedData } from 'viem';
import { z } from 'zod';
import { invalid } from '../../errors.ts';

export type ReadTypedData = { typedData: TypedDataDefinition; chainId: bigint | null };

const PARAM = 'params[1]';
/** The nesting depth of data given as text; the size of a body is limited where it is read. */
const DEEPEST = 32;
/** Each struct of a message is hashed with the text of its types, so the product of both determines the cost. */
const HASHED_CHARACTERS = 10_000_000;

const shape = z.looseObject({
  domain: z.strictObject({
    name: z.string().optional(),
    version: z.string().optional(),
    chainId: z.union([z.int().nonnegative(), z.string().regex(/^(0x[0-9a-fA-F]{1,64}|\d{1,78})$/)]).optional(),
    verifyingContract: z.string().optional(),
    salt: z.string().optional(),
  }),
  types: z.record(z.string(), z.array(z.strictObject({ name: z.string(), type: z.string() })).max(100)),
  primaryType: z.string(),
  message: z.record(z.string(), z.unknown()),
});

const domainTypes: Record<string, string> = {
  name: 'string',
  version: 'string',
  chainId: 'uint256',
  verifyingContract: 'address',
  salt: 'bytes32',
};

/**
 * Parses EIP-712 data, given as an object or as JSON, as wallets do. What is shown must be what is hashed: every field of the
 * domain must be one of EIP-712's, and must be in the domain's type if that is given. Throws VALIDATION_ERROR that names
 * `params[1]`.
 */
export function readTypedData(given: unknown, request: { chainId: number }): ReadTypedData {
  const data = typeof given === 'string' ? parsedJson(given) : given;
  const parsed = isShallow(data) ? shape.safeParse(data) : { success: false as const, data: undefined };
  if (!parsed.success) throw fault('domain, types, primaryType and message, as EIP-712 has them');
  const { types, primaryType, message } = parsed.data;
  const chainId = parsed.data.domain.chainId === undefined ? null : BigInt(parsed.data.domain.chainId);
  if (chainId !== null && chainId !== BigInt(request.chainId)) {
    throw fault(`is ${chainId}, not the chain ${request.chainId} of the request`, '.domain.chainId');
  }
  // As a number in any notation: a string would be left out of a domain whose type is not given.
  const domain = { ...parsed.data.domain, ...(chainId === null ? {} : { chainId }) };
  requireOwnFields(types.EIP712Domain, domain);
  if (JSON.stringify(types).length * structsIn(message) > HASHED_CHARACTERS) throw fault('is too much to hash');
  const EIP712Domain = types.EIP712Domain ?? getTypesForEIP712Domain({ domain: Object(domain) });
  // Checked by the two calls below; the library's types are meant for data written in code.
  const typedData = {
    domain,
    types: { ...types, EIP712Domain },
    primaryType,
    message,
  } as unknown as TypedDataDefinition;
  try {
    if (primaryType !== 'EIP712Domain' && !fits(types, { type: primaryType, value: message })) throw new TypeError();
    validateTypedData(typedData);
    hashTypedData(typedData);
  } catch {
    throw fault('its message does not fit its types');
  }
  return { typedData, chainId };
}

/** A field that is in the domain but not in its type would be shown but not signed. */
function requireOwnFields(type: { name: string; type: string }[] | undefined, domain: Record<string, unknown>): void {
  if (!type) return;
  const named = type.map((field) => field.name);
  const given = Object.keys(domain).filter((name) => domain[name] !== undefined);
  const isSame = new Set(named).size === named.length && named.length === given.length;
  if (!isSame || type.some((field) => !given.includes(field.name) || domainTypes[field.name] !== field.type)) {
    throw fault("has other fields than the domain, or not EIP-712's own", '.types.EIP712Domain');
  }
}

/** Whether every value has the JSON type that its EIP-712 type requires; libraries, and so hashes, differ on other values. */
function fits(types: Record<string, { name: string; type: string }[]>, at: { type: string; value: unknown }): boolean {
  const { type, value } = at;
  const array = /^(.+)\[(\d*)\]$/.exec(type);
  if (array) {
    const [, element = '', length = ''] = array;
    if (!Array.isArray(value) || (length !== '' && value.length !== Number(length))) return false;
    return value.every((member) => fits(types, { type: element, value: member }));
  }
  const fields = Object.hasOwn(types, type) ? types[type] : undefined;
  if (fields) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const members = new Map<string, unknown>(Object.entries(value));
    return fields.every((field) => fits(types, { type: field.type, value: members.get(field.name) }));
  }
  if (type === 'bool') return typeof value === 'boolean';
  if (/^u?int\d*$/.test(type)) return typeof value === 'string' || Number.isSafeInteger(value);
  return typeof value === 'string';
}

function structsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + structsIn(member), 1);
}

/** Whether the value is shallow enough to be traversed recursively without overflowing the stack. */
function isShallow(value: unknown, depth = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1));
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fault(message: string, at = ''): Error {
  return invalid([{ param: `${PARAM}${at}`, message }]);
}
