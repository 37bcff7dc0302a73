import type { Database } from '../../../prisma/client.ts';
import { hashSecret } from '../../auth/api-key.ts';
import { createApiKey } from '../../auth/create-api-key.ts';
import { createApp } from '../../auth/create-app.ts';
import { createMerchant } from '../../auth/create-merchant.ts';
import { inviteMember } from '../../auth/members/invite-member.ts';
import { nameOperator } from '../../auth/members/name-operator.ts';
import { setPayoutAddress } from '../../auth/set-payout-address.ts';
import { loadRegistry } from '../../chains/registry.ts';
import { systemClock } from '../../platform/clock.ts';
import { DEMO_OWNER } from '../demo-file.ts';
import { localAccounts } from '../local-accounts.ts';
import { localSolanaAccounts } from '../solana/solana-accounts.ts';

export type DemoKeys = { appId: string; secretKey: string; publishableKey: string };

/** Short enough to watch a payment from creation to settlement. */
const watchableSeconds = 5;

/**
 * Creates a merchant with one test app, its keys, payout addresses and an owner. `known` are the keys of an earlier start. While they are
 * valid in this database, nothing is created except a missing payout address on Solana.
 */
export async function seedDemo(
  { database }: { database: Database },
  { known }: { known: DemoKeys | undefined },
): Promise<DemoKeys> {
  if (known && (await isGood(database, known))) {
    await addSolanaPayout(database, known);
    return { appId: known.appId, secretKey: known.secretKey, publishableKey: known.publishableKey };
  }
  const merchant = await createMerchant({ database }, { name: 'Demo merchant' });
  const app = await createApp({ database }, { merchantId: merchant.id, name: 'Demo shop', mode: 'TEST' });
  const scope = { merchantId: merchant.id, appId: app.id };
  await database.app.update({
    where: { id: app.id },
    data: { timelockDuration: watchableSeconds, disputeStartDuration: watchableSeconds },
  });
  const world = { database, registry: loadRegistry({ rpc: [] }) };
  await setPayoutAddress(world, { scope, family: 'EVM', address: localAccounts.merchant.address });
  await setPayoutAddress(world, { scope, family: 'SOLANA', address: localSolanaAccounts.merchant.address });
  const secret = await createApiKey({ database, clock: systemClock }, { scope, kind: 'SECRET', name: 'Demo' });
  await inviteMember({ database, clock: systemClock }, { merchantId: merchant.id, email: DEMO_OWNER, role: 'OWNER' });
  await nameOperator({ database }, { merchantId: merchant.id, email: DEMO_OWNER, isOperator: true });
  const publishable = await createApiKey(
    { database, clock: systemClock },
    { scope, kind: 'PUBLISHABLE', name: 'Demo' },
  );
  return { appId: app.id, secretKey: secret.secret, publishableKey: publishable.secret };
}

async function isGood(database: Database, known: DemoKeys): Promise<boolean> {
  const keyHash = { in: [hashSecret(known.secretKey), hashSecret(known.publishableKey)] };
  return (await database.apiKey.count({ where: { keyHash, appId: known.appId, revokedAt: null } })) === 2;
}

/** Installations from before the local Solana have no such address. An existing one is kept. */
async function addSolanaPayout(database: Database, { appId }: DemoKeys): Promise<void> {
  await database.payoutAddress.createMany({
    data: { appId, family: 'SOLANA', address: localSolanaAccounts.merchant.address },
    skipDuplicates: true,
  });
}
