import { expect, test } from 'vitest';
import { hashSecret } from '../../src/auth/api-key.ts';
import { DEMO_OWNER } from '../../src/local/demo-file.ts';
import { localAccounts } from '../../src/local/local-accounts.ts';
import { seedDemo } from '../../src/local/set-up/seed-demo.ts';
import { localSolanaAccounts } from '../../src/local/solana/solana-accounts.ts';
import { freshDatabase } from '../setup/database/database.ts';

test('the first start creates a test app with keys and payout addresses, and the next one finds them', async () => {
  const { database } = await freshDatabase();
  const keys = await seedDemo({ database }, { known: undefined });
  expect(keys.secretKey).toMatch(/^sk_test_/);
  expect(keys.publishableKey).toMatch(/^pk_test_/);
  const app = await database.app.findUniqueOrThrow({ where: { id: keys.appId }, include: { payoutAddresses: true } });
  expect(app).toMatchObject({ mode: 'TEST', timelockDuration: 5, disputeStartDuration: 5 });
  expect(app.payoutAddresses.map(({ family, address }) => [family, address])).toEqual([
    ['EVM', localAccounts.merchant.address],
    ['SOLANA', localSolanaAccounts.merchant.address],
  ]);
  const where = { merchantId: app.merchantId };
  expect(await database.member.findMany({ where, select: { email: true, role: true } })).toEqual([
    { email: DEMO_OWNER, role: 'OWNER' },
  ]);
  expect(await seedDemo({ database }, { known: keys })).toEqual(keys);
  expect(await database.app.count()).toBe(1);
});

test('an app without a Solana payout address receives one, and keeps an address that was set', async () => {
  const { database } = await freshDatabase();
  const keys = await seedDemo({ database }, { known: undefined });
  const where = { appId: keys.appId, family: 'SOLANA' } as const;
  await database.payoutAddress.deleteMany({ where });
  await seedDemo({ database }, { known: keys });
  const added = await database.payoutAddress.findMany({ where });
  expect(added).toMatchObject([{ address: localSolanaAccounts.merchant.address }]);
  const own = localSolanaAccounts.feeRecipient.address;
  await database.payoutAddress.updateMany({ where, data: { address: own } });
  await seedDemo({ database }, { known: keys });
  expect(await database.payoutAddress.findMany({ where })).toMatchObject([{ address: own }]);
});

test('revoked keys and keys of another database are replaced', async () => {
  const { database } = await freshDatabase();
  const keys = await seedDemo({ database }, { known: undefined });
  await database.apiKey.update({
    where: { keyHash: hashSecret(keys.secretKey) },
    data: { revokedAt: new Date('2026-01-01') },
  });
  const anew = await seedDemo({ database }, { known: keys });
  expect(anew.appId).not.toBe(keys.appId);
  expect(anew.secretKey).not.toBe(keys.secretKey);
});
