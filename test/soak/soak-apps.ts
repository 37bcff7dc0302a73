import { type Database, openDatabase } from '../../prisma/client.ts';
import { createApiKey } from '../../src/auth/create-api-key.ts';
import { createApp } from '../../src/auth/create-app.ts';
import { createMerchant } from '../../src/auth/create-merchant.ts';
import { setPayoutAddress } from '../../src/auth/set-payout-address.ts';
import { loadRegistry } from '../../src/chains/registry.ts';
import type { Demo } from '../../src/local/demo-file.ts';
import { localAccounts } from '../../src/local/local-accounts.ts';
import { systemClock } from '../../src/platform/clock.ts';

/** Short enough for a payment to settle while the soak observes it. */
const WATCHABLE_SECONDS = 5;

/** The client settings of the demo's app and of further apps, each with its own merchant. */
export async function soakApps(installation: { demo: Demo; databaseUrl: string }, count: number): Promise<Demo[]> {
  const { demo, databaseUrl } = installation;
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    const apps = [demo];
    while (apps.length < count) apps.push({ ...demo, ...(await openApp(database, `Soak ${apps.length}`)) });
    return apps;
  } finally {
    await database.$disconnect();
  }
}

async function openApp(database: Database, name: string): Promise<{ appId: string; secretKey: string }> {
  const merchant = await createMerchant({ database }, { name });
  const app = await createApp({ database }, { merchantId: merchant.id, name, mode: 'TEST' });
  const scope = { merchantId: merchant.id, appId: app.id };
  const data = { timelockDuration: WATCHABLE_SECONDS, disputeStartDuration: WATCHABLE_SECONDS };
  await database.app.update({ where: { id: app.id }, data });
  await setPayoutAddress(
    { database, registry: loadRegistry({ rpc: [] }) },
    { scope, family: 'EVM', address: localAccounts.merchant.address },
  );
  const issued = await createApiKey({ database, clock: systemClock }, { scope, kind: 'SECRET', name });
  return { appId: app.id, secretKey: issued.secret };
}
