import type { Config } from '../config/config.ts';
import { operate } from '../operations/operate.ts';
import { verify } from '../operations/verify.ts';
import { operatorAddress } from '../operator/solana/operator-address.ts';
import { type Base, openBase, openSigners } from './open-world.ts';

/** Runs one operator command to completion. Returns the exit code. */
export async function runOperations(config: Config, args: readonly string[]): Promise<number> {
  const base = openBase(config, 'ops');
  try {
    const keys = await heldKeys(base);
    return await operate(
      { ...base, keys, print: (text) => console.log(text), complain: (text) => console.error(text) },
      args,
    );
  } finally {
    await base.database.$disconnect();
  }
}

/** Commands also run without keys. Only the keys that have sent transactions before are then known. */
async function heldKeys(base: Base): Promise<string[]> {
  const { config } = base;
  const { privateKey, keyFile, signer } = config.operator;
  const { operatorKey } = config.solana;
  const onSolana = operatorKey === undefined ? [] : [operatorAddress(operatorKey)];
  if (privateKey === undefined && keyFile === undefined && signer === undefined) return onSolana;
  const { operator, arbiter, senders } = await openSigners(base);
  return [...[operator, ...(arbiter ? [arbiter] : []), ...senders].map((signer) => signer.address), ...onSolana];
}

/** Compares the ledger with on-chain state. Returns the exit code. */
export async function runVerification(config: Config, args: readonly string[]): Promise<number> {
  const base = openBase(config, 'verify');
  try {
    return await verify({ ...base, print: (line) => console.log(line) }, { args });
  } finally {
    await base.database.$disconnect();
  }
}
