import { randomBytes } from 'node:crypto';
import { type Database, type PlatformCredential, type PlatformRole, transaction } from '../../prisma/client.ts';
import { newId } from '../platform/identifier.ts';
import { hashSecret } from './api-key.ts';
import { recordAction } from './audit/record-action.ts';

const READABLE = 9;

/** Creates a credential for an operator or an arbiter of the installation. The secret is returned once. */
export async function createPlatformCredential(
  world: { database: Database },
  request: { role: PlatformRole; name: string },
): Promise<{ credential: PlatformCredential; secret: string }> {
  const secret = `${request.role === 'OPERATOR' ? 'op' : 'ar'}_${randomBytes(32).toString('base64url')}`;
  const prefix = secret.slice(0, READABLE);
  const credential = await transaction(world.database, async (tx) => {
    const made = await tx.platformCredential.create({
      data: { id: newId(), ...request, prefix, keyHash: hashSecret(secret) },
    });
    const target = { type: 'PlatformCredential', id: made.id } as const;
    const after = { role: request.role, name: request.name, prefix };
    await recordAction(tx, { action: 'platform_credential.created', owner: 'INSTALLATION', target, after });
    return made;
  });
  return { credential, secret };
}
