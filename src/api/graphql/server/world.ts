/** What resolvers and operations need from the outside. It is created once by main or by a test and passed down. */
import type { Database } from '../../../../prisma/client.ts';
import { guardedDatabase, unguarded, type WriteCheck } from '../../../../prisma/guarded-database.ts';
import { requireCredential } from '../../../auth/check-credential.ts';
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
  /** Real time, which differs from `clock` if the test clock was moved. Used for credentials, webhooks and everything else in real time. */
  realClock: Clock;
  /** The source of `clock`. Absent if time cannot be moved. */
  time?: Pick<FollowedClock, 'isMovable' | 'isListening' | 'take' | 'catchUp'>;
  /** The cache of credentials for reads. Without it, every call queries the database. */
  memory?: CredentialMemory | undefined;
  registry: Registry;
  nodes: EvmNodes;
  solanaNodes: SolanaNodes;
  suiNodes: SuiNodes;
  prices: PriceBook;
  operator: OperatorSigner;
  /** The addresses of the sender keys. */
  senderAddresses: readonly string[];
  config: Config;
  log: Log;
  feed: Feed;
  /** The keys derived from TOKEN_SECRET, one per purpose. */
  secretKeys: SecretKeys;
  signingKeys: SigningKeys;
  /** Called for every UNAVAILABLE error that is returned to a caller. */
  unavailable?: (fault: DatabaseFault) => void;
};

/** Returns the world with real time as its clock, regardless of the test clock. */
export function byRealTime(world: World): World {
  return { ...world, clock: world.realClock };
}

/** Smaller differences result from reading the same clock twice. */
const LEAST_OFFSET_MS = 1_000;

/** Converts a real time to the time of the gateway's clock. */
export function byGatewayClock({ clock, realClock }: Pick<World, 'clock' | 'realClock'>, at: Date): Date {
  const offsetMs = clock.now().getTime() - realClock.now().getTime();
  return Math.abs(offsetMs) < LEAST_OFFSET_MS ? at : new Date(at.getTime() + offsetMs);
}

/**
 * Returns the world as a caller may change it. Each of its transactions takes one of the places for writes, then checks that the caller's
 * credential is still valid and, if the test clock can be moved, reads its offset. Resolvers pass this world to every operation.
 */
export function guardedWorld(world: World, principal: Principal): World {
  const { realClock, time } = world;
  const check = (): WriteCheck => requireCredential(principal, realClock.now());
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

/** Returns the places of a process, one per connection for writes. */
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

/**
 * Returns the writer that a caller belongs to. Payers and callers without a credential share one, because any of them may wait for a locked
 * app.
 */
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
