/**
 * The keys that sign tokens. The newest key signs, and every key that has not expired verifies. They are stored in the database, with
 * encrypted private parts, so that all processes of an installation share them. Each process caches them for a short time.
 */

import { createHash } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { type Database, type Prisma, type SigningKey, transaction } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { seal, unseal } from '../../platform/secret-box.ts';
import { recordAction } from '../audit/record-action.ts';
import { LONGEST_TOKEN_SECONDS, TOKEN_ALGORITHM } from './token.ts';

export type SigningKeys = {
  /** Returns the key to sign with, and creates the first one. */
  current(): Promise<{ kid: string; key: CryptoKey | Uint8Array }>;
  /** Returns the public key of a valid `kid`, or undefined for any other. */
  find(kid: string): Promise<CryptoKey | Uint8Array | undefined>;
  /** Whether a `kid` is still valid, for a token that it has verified before. */
  verifies(kid: string): Promise<boolean>;
  /** Returns the JSON Web Key Set (RFC 7517) of all keys that still verify. */
  published(): Promise<{ keys: JWK[] }>;
};

/** A rotation by another process is noticed within this time. A token with an unknown `kid` triggers a reload at once. */
const REMEMBERED_MS = 60_000;
/** The minimum interval between reloads for unknown keys, because anyone can send tokens with unknown keys. */
const LOOK_AGAIN_MS = 2_000;

export function openSigningKeys(
  world: { database: Database; clock: Clock },
  options: { sealKey: Uint8Array },
): SigningKeys {
  let remembered: { rows: SigningKey[]; atMs: number } | undefined;

  async function rows(maxAgeMs: number): Promise<SigningKey[]> {
    const nowMs = performance.now();
    if (remembered && nowMs - remembered.atMs < maxAgeMs) return remembered.rows;
    const found = await goodKeys(world.database, world.clock.now());
    remembered = { rows: found, atMs: nowMs };
    return found;
  }

  function goodRow(found: readonly SigningKey[], kid: string): SigningKey | undefined {
    const now = world.clock.now();
    return found.find((row) => row.kid === kid && (row.expiresAt === null || row.expiresAt > now));
  }

  return {
    async current() {
      const held = (await rows(REMEMBERED_MS)).find((row) => row.expiresAt === null);
      const newest = held ?? (await makeFirst(world, options.sealKey));
      if (!held) remembered = undefined;
      const jwk: JWK = JSON.parse(unseal(options.sealKey, newest.sealedPrivate));
      return { kid: newest.kid, key: await importJWK(jwk, TOKEN_ALGORITHM) };
    },
    async find(kid) {
      const row = goodRow(await rows(REMEMBERED_MS), kid) ?? goodRow(await rows(LOOK_AGAIN_MS), kid);
      return row && importJWK(publicJwk(row), TOKEN_ALGORITHM);
    },
    async verifies(kid) {
      return goodRow(await rows(REMEMBERED_MS), kid) !== undefined;
    },
    async published() {
      const first = await rows(LOOK_AGAIN_MS);
      if (first.length > 0) return { keys: first.map(publicJwk) };
      return { keys: [publicJwk(await makeFirst(world, options.sealKey))] };
    },
  };
}

/**
 * Creates a new key that signs from now on. Earlier keys verify until all tokens that they signed have expired. Other processes sign with
 * the new key within a minute.
 */
export async function rotateSigningKeys(
  world: { database: Database; clock: Clock },
  options: { sealKey: Uint8Array },
): Promise<SigningKey> {
  const made = await newKey(world, options.sealKey);
  const expiresAt = new Date(made.createdAt.getTime() + (LONGEST_TOKEN_SECONDS + REMEMBERED_MS / 1000) * 1000);
  return await transaction(world.database, async (tx) => {
    await tx.signingKey.updateMany({ where: { expiresAt: null }, data: { expiresAt } });
    const target = { type: 'SigningKey', id: made.kid } as const;
    await recordAction(tx, { action: 'signing_key.rotated', owner: 'INSTALLATION', target });
    return tx.signingKey.create({ data: made });
  });
}

/** Newest first. */
function goodKeys(database: Database, now: Date): Promise<SigningKey[]> {
  return database.signingKey.findMany({
    where: { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
    orderBy: [{ createdAt: 'desc' }, { kid: 'desc' }],
    take: 50,
  });
}

/** If several processes find no key, one of them creates the first key, and the others wait for it. */
async function makeFirst(world: { database: Database; clock: Clock }, sealKey: Uint8Array): Promise<SigningKey> {
  const made = await newKey(world, sealKey);
  return await transaction(world.database, async (tx) => {
    await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('signing-key', 0))::text`;
    const existing = await tx.signingKey.findFirst({ where: { expiresAt: null }, orderBy: { createdAt: 'desc' } });
    return existing ?? tx.signingKey.create({ data: made });
  });
}

async function newKey(world: { clock: Clock }, sealKey: Uint8Array) {
  const { publicKey, privateKey } = await generateKeyPair(TOKEN_ALGORITHM, { extractable: true });
  const jwk = await exportJWK(publicKey);
  const kid = createHash('sha256').update(JSON.stringify(jwk)).digest('base64url').slice(0, 22);
  const shown = { ...jwk, kid, alg: TOKEN_ALGORITHM, use: 'sig' } satisfies JWK as Prisma.InputJsonObject;
  const sealedPrivate = seal(sealKey, JSON.stringify(await exportJWK(privateKey)));
  return { kid, publicJwk: shown, sealedPrivate, createdAt: world.clock.now() };
}

function publicJwk(row: SigningKey): JWK {
  // Only newKey writes this column.
  return row.publicJwk as JWK;
}
