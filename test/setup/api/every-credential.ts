/** Every kind of credential, each represented by the headers that carry it. */
import type { Access } from '../../../src/api/graphql/server/access/access.ts';
import { createPlatformCredential } from '../../../src/auth/create-platform-credential.ts';
import type { MemberRole } from '../../../src/auth/members/member.ts';
import { issueToken } from '../../../src/auth/tokens/issue-token.ts';
import { newId } from '../../../src/platform/identifier.ts';
import type { TestApi } from './api.ts';

/** The access that each credential grants, as the API reports it to merchants. Duplicated here on purpose. */
export const granted: Record<string, Access[]> = {
  anonymous: [],
  'secret key': ['secretKey', 'read', 'write', 'clock', 'credential'],
  'publishable key': ['credential'],
  'client secret': ['session'],
  'access token': ['card'],
  'session token': ['cardSession'],
  'onetime token': ['onetime'],
  owner: ['read', 'write', 'clock', 'credential', 'member', 'owner'],
  developer: ['read', 'write', 'clock', 'credential', 'member'],
  viewer: ['read', 'credential', 'member'],
  'payer token': ['payer'],
  'viewer who operates': ['read', 'credential', 'member', 'operator'],
  operator: ['operator'],
  arbiter: ['arbiter'],
};
export async function everyCredential({
  world,
  database,
  graphql,
  merchantA,
}: TestApi): Promise<Record<string, Record<string, string>>> {
  const now = world.clock.now();
  const expiresAt = new Date(now.getTime() + 3_600_000);
  const bearer = async (subject: Parameters<typeof issueToken>[1]['subject']) => ({
    authorization: `Bearer ${(await issueToken(world, { subject })).token}`,
  });
  const member = async (role: MemberRole, isOperator = false) => {
    const memberId = newId();
    const { merchantId } = merchantA;
    await database.member.create({
      data: { id: memberId, merchantId, email: `${memberId}@example.com`, role, isOperator },
    });
    const sessionId = newId();
    await database.memberSession.create({ data: { id: sessionId, memberId, expiresAt, createdAt: now } });
    return bearer({ audience: 'dashboard', memberId, sessionId });
  };
  const userId = newId();
  const sessionId = newId();
  const clientOrigin = 'https://shop.example';
  await database.cardUser.create({ data: { id: userId, email: 'user@example.com', createdAt: now } });
  await database.cardSession.create({ data: { id: sessionId, userId, clientOrigin, expiresAt, createdAt: now } });
  const made = await graphql(
    'mutation { createCheckoutSession(input: { items: [{ name: "Tea", amount: "3" }] }) { clientSecret } }',
    {},
    { key: merchantA.secretKey },
  );
  const platform = async (role: 'OPERATOR' | 'ARBITER') => ({
    'x-api-key': (await createPlatformCredential(world, { role, name: role })).secret,
  });
  return {
    anonymous: {},
    'secret key': { 'x-api-key': merchantA.secretKey },
    'publishable key': { 'x-api-key': merchantA.publishableKey },
    'client secret': { 'x-client-secret': made.data.createCheckoutSession.clientSecret },
    'access token': await bearer({ audience: 'card', userId }),
    'session token': await bearer({ audience: 'session-connect', userId, sessionId }),
    'onetime token': await bearer({ audience: 'onetime-connect', userId, requestId: newId() }),
    'payer token': await bearer({
      audience: 'payer',
      wallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      chainId: null,
    }),
    owner: await member('OWNER'),
    developer: await member('DEVELOPER'),
    viewer: await member('VIEWER'),
    'viewer who operates': await member('VIEWER', true),
    operator: await platform('OPERATOR'),
    arbiter: await platform('ARBITER'),
  };
}

export const mayBe = (needed: readonly Access[], who: string) =>
  needed.some((access) => access === 'public' || granted[who]?.includes(access));
