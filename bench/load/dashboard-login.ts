import { type Database, openDatabase } from '../../prisma/client.ts';
import { createApp } from '../../src/auth/create-app.ts';
import { createMerchant } from '../../src/auth/create-merchant.ts';
import { issueToken } from '../../src/auth/tokens/issue-token.ts';
import { openSecretKeys } from '../../src/auth/tokens/secret-keys.ts';
import { openSigningKeys } from '../../src/auth/tokens/signing-keys.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/identifier.ts';

export type DashboardLogin = { appId: string; memberId: string; email: string; token: string; expiresAt: number };

/** Creates a merchant with one app and a logged-in owner, who optionally operates the installation. `publicUrl` is the API's. */
export async function dashboardLogin(
  databaseUrl: string,
  { name, publicUrl, isOperator = false }: { name: string; publicUrl: string; isOperator?: boolean },
): Promise<DashboardLogin> {
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    return await logIn(database, { name, publicUrl, isOperator });
  } finally {
    await database.$disconnect();
  }
}

async function logIn(
  database: Database,
  { name, publicUrl, isOperator }: { name: string; publicUrl: string; isOperator: boolean },
) {
  const clock = systemClock;
  const merchant = await createMerchant({ database }, { name });
  const app = await createApp({ database }, { merchantId: merchant.id, name, mode: 'TEST' });
  const email = `${app.id}@example.com`;
  const now = clock.now();
  const member = await database.member.create({
    data: { id: newId(), merchantId: merchant.id, email, role: 'OWNER', isOperator, invitedAt: now, joinedAt: now },
  });
  const expiresAt = new Date(now.getTime() + 3_600_000);
  const session = await database.memberSession.create({
    data: { id: newId(), memberId: member.id, expiresAt, createdAt: now },
  });
  const signingKeys = openSigningKeys({ database, clock }, { sealKey: openSecretKeys({}).signing });
  const subject = { audience: 'dashboard' as const, memberId: member.id, sessionId: session.id };
  const issued = await issueToken({ clock, signingKeys, config: { publicUrl } }, { subject });
  return { appId: app.id, memberId: member.id, email, token: issued.token, expiresAt: issued.expiresAt.getTime() };
}
