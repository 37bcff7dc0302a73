/** Dependencies of the pump of a Solana chain. */
import type { Connection } from '@solana/web3.js';
import type { Database } from '../../../prisma/client.ts';
import type { AdvisoryLocks } from '../../platform/advisory-locks.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { OutgoingHooks } from '../sending-world.ts';

export type VaultSendingWorld = {
  database: Database;
  locks: AdvisoryLocks;
  clock: Clock;
  log: Log;
  connection: Connection;
  chainId: number;
  keys: {
    /** 64 hex digits, from which the vaults' keys are derived. */
    vaultSecret: string;
    /** Pays the fees: 64 bytes in base58. */
    operatorKey: string;
  };
  hooks: OutgoingHooks;
  /** Returns the balance of a vault according to the ledger, in base units. */
  heldInVault(place: { vault: string; vaultOwner: string }): Promise<bigint>;
  /**
   * Returns the amount that is kept for a recipient according to the ledger, in base units of a mint (null: lamports). Null while a
   * delivery of it has landed and is not booked yet.
   */
  keptFor(owner: { recipient: string; mint: string | null }): Promise<bigint | null>;
};
