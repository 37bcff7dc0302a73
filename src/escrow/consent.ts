/**
 * A recurring consent: what a subscriber signs once, with a cap per period that the contract enforces. Its EIP-712 struct
 * hash is the consent's id, known together with its chain; a charge's terms must equal the consent field by field. No
 * period is charged twice.
 */
import { type Address, encodeAbiParameters, type Hex, hashStruct, keccak256, type TypedDataDefinition } from 'viem';
import { z } from 'zod';
import { domainFields, type EscrowPlace, escrowDomain } from './escrow-domain.ts';
import { abiJson } from './terms.ts';

export type RecurringConsent = {
  subscriptionId: Hex;
  payer: Address;
  merchant: Address;
  token: Address;
  /** Base units. */
  capPerPeriod: bigint;
  /** Unix seconds. */
  start: number;
  /** 0: a period is `count` seconds; 1: calendar months. */
  unit: number;
  count: number;
  /** Unix seconds from which nothing is charged; 0 for no end. */
  end: number;
  feeBps: number;
  feeRecipient: Address;
  operator: Address;
  arbiter: Address;
  timelock: number;
  disputeWindow: number;
  disputeTimeout: number;
  timeoutPayerBps: number;
};

const consentFields = [
  { name: 'subscriptionId', type: 'bytes32' },
  { name: 'payer', type: 'address' },
  { name: 'merchant', type: 'address' },
  { name: 'token', type: 'address' },
  { name: 'capPerPeriod', type: 'uint128' },
  { name: 'start', type: 'uint40' },
  { name: 'unit', type: 'uint8' },
  { name: 'count', type: 'uint32' },
  { name: 'end', type: 'uint40' },
  { name: 'feeBps', type: 'uint16' },
  { name: 'feeRecipient', type: 'address' },
  { name: 'operator', type: 'address' },
  { name: 'arbiter', type: 'address' },
  { name: 'timelock', type: 'uint32' },
  { name: 'disputeWindow', type: 'uint32' },
  { name: 'disputeTimeout', type: 'uint32' },
  { name: 'timeoutPayerBps', type: 'uint16' },
] as const;

/** What the subscriber signs. */
export function consentTypedData(request: EscrowPlace & { consent: RecurringConsent }): TypedDataDefinition {
  return {
    domain: escrowDomain(request),
    types: { EIP712Domain: domainFields, RecurringConsent: consentFields },
    primaryType: 'RecurringConsent',
    message: request.consent,
  };
}

/** The consent's id: the same on every chain. */
export function consentHash(consent: RecurringConsent): Hex {
  return hashStruct({ data: consent, primaryType: 'RecurringConsent', types: { RecurringConsent: consentFields } });
}

/** The intent id that the charge of a period must carry. */
export function chargeIntentId(consentId: Hex, period: number): Hex {
  return keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint32' }], [consentId, period]));
}

/** What the operator signs for one charge. */
export function chargeTypedData(
  request: EscrowPlace & { consentId: Hex; period: number; id: Hex },
): TypedDataDefinition {
  return {
    domain: escrowDomain(request),
    types: {
      EIP712Domain: domainFields,
      Charge: [
        { name: 'consentId', type: 'bytes32' },
        { name: 'period', type: 'uint32' },
        { name: 'id', type: 'bytes32' },
      ],
    },
    primaryType: 'Charge',
    message: { consentId: request.consentId, period: request.period, id: request.id },
  };
}

const { bytes32, address, unsigned, small } = abiJson;

const consentSchema = z.object({
  subscriptionId: bytes32,
  payer: address,
  merchant: address,
  token: address,
  capPerPeriod: unsigned,
  start: small,
  unit: small,
  count: small,
  end: small,
  feeBps: small,
  feeRecipient: address,
  operator: address,
  arbiter: address,
  timelock: small,
  disputeWindow: small,
  disputeTimeout: small,
  timeoutPayerBps: small,
});

/** A consent as rows keep it: every integer a decimal string. */
export function consentToJson(consent: RecurringConsent): Record<string, string> {
  return Object.fromEntries(Object.entries(consent).map(([name, value]) => [name, String(value)]));
}

/** Reads what `consentToJson` wrote. Throws a ZodError on anything else. */
export function consentFromJson(json: unknown): RecurringConsent {
  return consentSchema.parse(json);
}
