/** What every resolver and verb may need from the world; made once by main (or a test), and passed down. */
import type { Database } from '../../../../prisma/client.ts';
import { guardedDatabase, unguarded, type WriteCheck } from '../../../../prisma/guarded-database.ts';
import { demandCredential } from '../../../auth/check-credential.ts';
import type { CredentialMemory } from '../../../auth/credential-memory.ts';
import type { Principal } from '../../../auth/principal.ts';
import type { SecretKeys } from '../../../auth/tokens/secret-keys.ts';
import type { SigningKeys } from '../../../auth/tokens/signing-keys.ts';
import type { EvmNodes } from '../../../chains/evm/nodes.ts';
import type { Registry } from '../../../chains/registry.ts';
import type { SolanaNodes } from '../../../chains/solana/open-solana-nodes.ts';
import type { SuiNodes } from '../../../chains/sui/open-sui-nodes.ts';
import type { Config } from '../../../config/config.ts';
import type { Feed } from '../../../events/feed.ts';
import type { OperatorSigner } from '../../../operator/operator-signer.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type DatabaseFault, unavailable } from '../../../platform/database/database-fault.ts';
import { type FairPlaces, openFairPlaces } from '../../../platform/limits/fair-places.ts';
import type { Log } from '../../../platform/log.ts';
import type { PriceBook } from '../../../prices/price-source.ts';
import { checkWithOffset, type FollowedClock } from '../../../test-clock/open-clock.ts';

export type World = {
  database: Database;
  clock: Clock;
  /** The same unless the test clock was moved: for credentials, webhooks and whatever else goes by real time. */
  realClock: Clock;
  /** What `clock` follows; absent where time cannot be moved. */
  time?: Pick<FollowedClock, 'isMovable' | 'isHeard' | 'take' | 'catchUp'>;
  /** What is remembered of credentials, for reads; without it every call asks the database. */
  memory?: CredentialMemory | undefined;
  registry: Registry;
  nodes: EvmNodes;
  solanaNodes: SolanaNodes;
  suiNodes: SuiNodes;
  prices: PriceBook;
  operator: OperatorSigner;
  config: Config;
  log: Log;
  feed: Feed;
  /** What TOKEN_SECRET stands for, one key a purpose. */
  secretKeys: SecretKeys;
  signingKeys: SigningKeys;
  /** Told of every error UNAVAILABLE that a caller is answered. */
  unavailable?: (fault: DatabaseFault) => void;
};

/** The world for what goes by real time, wherever the test clock is. */
export function byRealTime(world: World): World {
  return { ...world, clock: world.realClock };
}

/** Less is the time between two looks at one clock. */
const LEAST_OFFSET_MS = 1_000;

/** An instant of what goes by real time, as the gateway's clock tells it. */
export function byGatewayClock({ clock, realClock }: Pick<World, 'clock' | 'realClock'>, at: Date): Date {
  const offsetMs = clock.now().getTime() - realClock.now().getTime();
  return Math.abs(offsetMs) < LEAST_OFFSET_MS ? at : new Date(at.getTime() + offsetMs);
}

/**
 * The world as one caller may change it: each of its transactions takes one of the places for writes, first checks that the
 * caller's credential is still good and, where the test clock can be moved, reads its offset. Every verb that a resolver
 * calls gets this world.
 */
export function guardedWorld(world: World, principal: Principal): World {
  const { realClock, time } = world;
  const check = (): WriteCheck => demandCredential(principal, realClock.now());
  const places = placesOf(world);
  const name = writerOf(principal);
  return {
    ...world,
    database: guardedDatabase(world.database, {
      check: time?.isMovable ? () => checkWithOffset(time, check()) : check,
      place: (work) => places.run(name, work),
    }),
  };
}

const writePlaces = new WeakMap<Database, FairPlaces>();

/** The places of a process, as many as it has connections for writes. */
function placesOf({ database, config }: World): FairPlaces {
  const known = writePlaces.get(unguarded(database));
  if (known) return known;
  const { poolSize, bounds } = config.database;
  const opened = openFairPlaces({
    places: poolSize,
    waitMs: bounds.connectMs,
    refuse: () => unavailable('busy'),
  });
  writePlaces.set(unguarded(database), opened);
  return opened;
}

/** Who shares one writer's part of the places. Strangers and payers are many, and any of them may meet an app that stands still. */
function writerOf(principal: Principal): string {
  switch (principal.kind) {
    case 'apiKey':
    case 'session':
      return `app:${principal.appId}`;
    case 'member':
      return `merchant:${principal.merchantId}`;
    case 'platform':
      return 'platform';
    case 'card':
    case 'payer':
    case 'anonymous':
      return 'payers';
    default:
      return principal satisfies never;
  }
}
