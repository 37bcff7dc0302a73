/**
 * Payment terms: the struct that operator and payer both agree to. Its EIP-712 struct hash is the payment's id in the contract. It
 * includes neither chain nor contract, so chain and id together identify a payment. The signed digest covers it under the contract's
 * domain. The fields and their limits are those of `contracts/IPaymentEscrow.sol`. The contract is authoritative for the hash.
 */
import { type Address, getAddress, type Hex, hashStruct, type TypedDataDefinition, toHex } from 'viem';
import { z } from 'zod';
import { domainFields, type EscrowPlace, escrowDomain } from './escrow-domain.ts';

export type PaymentTerms = {
  intentId: Hex;
  payer: Address;
  merchant: Address;
  /** Zero for the native coin. */
  token: Address;
  /** Base units. */
  amount: bigint;
  /** Unix seconds. */
  authorizeBy: number;
  captureBy: number;
  /** Seconds. */
  timelock: number;
  disputeWindow: number;
  disputeTimeout: number;
  timeoutPayerBps: number;
  feeBps: number;
  feeRecipient: Address;
  operator: Address;
  arbiter: Address;
  quoteHash: Hex;
  captureOnAuthorize: boolean;
};

const termsFields = [
  { name: 'intentId', type: 'bytes32' },
  { name: 'payer', type: 'address' },
  { name: 'merchant', type: 'address' },
  { name: 'token', type: 'address' },
  { name: 'amount', type: 'uint128' },
  { name: 'authorizeBy', type: 'uint40' },
  { name: 'captureBy', type: 'uint40' },
  { name: 'timelock', type: 'uint32' },
  { name: 'disputeWindow', type: 'uint32' },
  { name: 'disputeTimeout', type: 'uint32' },
  { name: 'timeoutPayerBps', type: 'uint16' },
  { name: 'feeBps', type: 'uint16' },
  { name: 'feeRecipient', type: 'address' },
  { name: 'operator', type: 'address' },
  { name: 'arbiter', type: 'address' },
  { name: 'quoteHash', type: 'bytes32' },
  { name: 'captureOnAuthorize', type: 'bool' },
] as const;

/** What a wallet or the operator signs; its digest (`hashTypedData`) covers the id under the domain. */
export function termsTypedData(request: EscrowPlace & { terms: PaymentTerms }): TypedDataDefinition {
  return {
    domain: escrowDomain(request),
    types: { EIP712Domain: domainFields, PaymentTerms: termsFields },
    primaryType: 'PaymentTerms',
    message: request.terms,
  };
}

/** The payment's id: the same on every chain. */
export function termsHash(terms: PaymentTerms): Hex {
  return hashStruct({ data: terms, primaryType: 'PaymentTerms', types: { PaymentTerms: termsFields } });
}

/** A UUID as the bytes32 that terms carry: its 16 bytes at the low end. */
export function uuidToBytes32(id: string): Hex {
  return toHex(BigInt(`0x${id.replaceAll('-', '')}`), { size: 32 });
}

/** The UUID that a bytes32 carries, or null if it carries none. */
export function bytes32ToUuid(bytes: Hex): string | null {
  const hex = bytes.slice(2).padStart(64, '0').toLowerCase();
  if (!hex.startsWith('0'.repeat(32))) return null;
  const id = hex.slice(32);
  return [id.slice(0, 8), id.slice(8, 12), id.slice(12, 16), id.slice(16, 20), id.slice(20)].join('-');
}

const bytes32 = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{64}$/)]);
const address = z
  .templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)])
  .transform((text): Address => getAddress(text));
const unsigned = z.union([z.string().regex(/^\d{1,78}$/), z.int().nonnegative()]).transform((text) => BigInt(text));
const small = unsigned.refine((value) => value <= 0xffffffffffn, 'at most 40 bits').transform(Number);

/** JSON forms of what the contract's structs and events are made of: integers as decimal strings. */
export const abiJson = { bytes32, address, unsigned, small };

export const termsSchema = z.object({
  intentId: bytes32,
  payer: address,
  merchant: address,
  token: address,
  amount: unsigned,
  authorizeBy: small,
  captureBy: small,
  timelock: small,
  disputeWindow: small,
  disputeTimeout: small,
  timeoutPayerBps: small,
  feeBps: small,
  feeRecipient: address,
  operator: address,
  arbiter: address,
  quoteHash: bytes32,
  captureOnAuthorize: z.boolean(),
});

/** Terms as kept in `payment_terms`: every integer a decimal string. */
export function termsToJson(terms: PaymentTerms): Record<string, string | boolean> {
  return Object.fromEntries(
    Object.entries(terms).map(([name, value]) => [name, typeof value === 'boolean' ? value : String(value)]),
  );
}

/** Reads what `termsToJson` wrote, or an event's terms. Throws a ZodError on anything else. */
export function termsFromJson(json: unknown): PaymentTerms {
  return termsSchema.parse(json);
}
