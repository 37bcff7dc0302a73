import { randomBytes } from 'node:crypto';
import type { Database, PlatformCredential, PlatformRole } from '../../prisma/client.ts';
import { newId } from '../platform/identifier.ts';
import { hashSecret } from './api-key.ts';

const READABLE = 9;

/** A credential of the installation itself, for an operator or an arbiter; the secret is shown once. */
export async function createPlatformCredential(
  world: { database: Database },
  request: { role: PlatformRole; name: string },
): Promise<{ credential: PlatformCredential; secret: string }> {
  const secret = `${request.role === 'OPERATOR' ? 'op' : 'ar'}_${randomBytes(32).toString('base64url')}`;
  const credential = await world.database.platformCredential.create({
    data: { id: newId(), ...request, prefix: secret.slice(0, READABLE), keyHash: hashSecret(secret) },
  });
  return { credential, secret };
}
