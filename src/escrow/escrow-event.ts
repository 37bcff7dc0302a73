/**
 * The contract's events. Every event of a payment carries the id (the terms' struct hash), the intent id, the payer, and the amount left
 * after it, so that the fold needs nothing else. An event is evidence only if its id is of terms that this gateway signed for the chain
 * that emitted it.
 */
import { decodeEventLog, type Hex, type Log } from 'viem';
import { z } from 'zod';
import { escrowAbi } from './escrow-abi.ts';
import { abiJson, termsSchema } from './terms.ts';

const { bytes32, address, unsigned, small } = abiJson;

const ofPayment = { id: bytes32, intentId: bytes32, payer: address, left: unsigned };

/** The recipient's role in a payout, by the contract's numbering. */
export const payoutRoles = ['PAYER', 'MERCHANT', 'FEE_RECIPIENT'] as const;

export const resolutions = ['ARBITER', 'CONCEDED', 'TIMEOUT'] as const;

const escrowEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('Authorized'), ...ofPayment, terms: termsSchema }),
  z.object({ kind: z.literal('Captured'), ...ofPayment, captured: unsigned, returned: unsigned }),
  z.object({ kind: z.literal('Voided'), ...ofPayment, amount: unsigned }),
  z.object({ kind: z.literal('Reclaimed'), ...ofPayment, amount: unsigned }),
  z.object({ kind: z.literal('Refunded'), ...ofPayment, amount: unsigned }),
  z.object({ kind: z.literal('Settled'), ...ofPayment, merchantAmount: unsigned, feeAmount: unsigned }),
  z.object({ kind: z.literal('Disputed'), ...ofPayment }),
  z.object({
    kind: z.literal('Resolved'),
    ...ofPayment,
    resolution: small.transform((index) => resolutions[index] ?? 'ARBITER'),
    payerBps: small,
    payerAmount: unsigned,
    merchantAmount: unsigned,
    feeAmount: unsigned,
  }),
  z.object({
    kind: z.literal('Charged'),
    consentId: bytes32,
    id: bytes32,
    payer: address,
    subscriptionId: bytes32,
    period: small,
  }),
  z.object({ kind: z.literal('Revoked'), consentId: bytes32, subscriptionId: bytes32, payer: address }),
  z.object({
    kind: z.literal('Credited'),
    id: bytes32,
    recipient: address,
    token: address,
    amount: unsigned,
    role: small.refine((index) => index < payoutRoles.length).transform((index) => payoutRoles[index] ?? 'PAYER'),
  }),
  z.object({ kind: z.literal('Claimed'), recipient: address, token: address, to: address, amount: unsigned }),
  z.object({
    kind: z.literal('DepositReturned'),
    id: bytes32,
    intentId: bytes32,
    payer: address,
    token: address,
    amount: unsigned,
  }),
]);

export type EscrowEvent = z.infer<typeof escrowEventSchema>;
export type EscrowEventKind = EscrowEvent['kind'];

/** The event of a row's kind and arguments as JSON (integers as decimal strings); null if the contract has no such event. */
export function parseEscrowEvent(kind: string, args: unknown): EscrowEvent | null {
  if (typeof args !== 'object' || args === null) return null;
  const parsed = escrowEventSchema.safeParse({ ...args, kind });
  return parsed.success ? parsed.data : null;
}

/** A log of the contract as kind, payment id and JSON arguments, as the inbox keeps it; null for a foreign log. */
export function decodeEscrowLog(
  log: Pick<Log, 'topics' | 'data'>,
): { kind: EscrowEventKind; ref: Hex | null; args: Record<string, unknown> } | null {
  try {
    const { eventName, args } = decodeEventLog({ abi: escrowAbi, topics: log.topics, data: log.data });
    if (eventName === 'EIP712DomainChanged') return null;
    return { kind: eventName, ref: 'id' in args ? args.id : null, args: toAbiJson(args) };
  } catch {
    return null;
  }
}

/** ABI values as JSON: every integer a decimal string, nested structs too. */
export function toAbiJson(args: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, toJson(value)]));
}

function toJson(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return toAbiJson(value);
  return value;
}
