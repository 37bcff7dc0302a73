/** Typed data as `eth_signTypedData_v4` takes it: JSON, integers of the message as decimal strings. */
import type { TypedDataDefinition } from 'viem';

export type TypedDataJson = {
  domain: Record<string, unknown>;
  types: Record<string, unknown>;
  primaryType: string;
  message: Record<string, unknown>;
};

export function typedDataToJson(typed: TypedDataDefinition): TypedDataJson {
  return {
    domain: { ...typed.domain },
    types: { ...typed.types },
    primaryType: String(typed.primaryType),
    message: plain(typed.message ?? {}),
  };
}

function plain(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, typeof item === 'bigint' ? item.toString() : item]),
  );
}
