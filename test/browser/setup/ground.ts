/** The setup of browser tests: one installation per run, with separate merchants and payers for each test. */
import { base58 } from '@scure/base';
import { Keypair } from '@solana/web3.js';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, inject } from 'vitest';
import { type Database, openDatabase } from '../../../prisma/client.ts';
import { createApiKey } from '../../../src/auth/create-api-key.ts';
import { createApp } from '../../../src/auth/create-app.ts';
import { createMerchant } from '../../../src/auth/create-merchant.ts';
import { inviteMember } from '../../../src/auth/members/invite-member.ts';
import { setPayoutAddress } from '../../../src/auth/set-payout-address.ts';
import { loadRegistry } from '../../../src/chains/registry.ts';
import { type LocalAccount, localAccounts } from '../../../src/local/local-accounts.ts';
import { furnishChain } from '../../../src/local/set-up/furnish-chain.ts';
import { furnishSolana } from '../../../src/local/solana/furnish-solana.ts';
import { type LocalSolanaAccount, localSolanaAccounts } from '../../../src/local/solana/solana-accounts.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { StandingInstallation } from '../../setup/gateway/installation-server.ts';
import { onTeardown } from '../../setup/teardown.ts';

/** A merchant with one test app, an owner and payout addresses. Other test files do not use it. */
export type ShopGround = {
  merchantId: string;
  appId: string;
  secretKey: string;
  publishableKey: string;
  /** The address of a member with all permissions. Requesting a login code for it sends a mail, which `loginCode` reads. */
  ownerEmail: string;
  /** Makes a REST call with the secret key. Returns `data`, and throws the gateway's error. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it asked for.
  call(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<any>;
};

export type BrowserGround = {
  /** The origin of the API and the pages. */
  origin: string;
  demo: StandingInstallation['demo'];
  /** The installation's own database, for rows that no page or API can create. */
  database: Database;
  openShop(name?: string): Promise<ShopGround>;
  /** A new wallet with gas and a million units of each token on every local EVM chain. If `isPoor`, the wallet is empty. */
  newPayer(options?: { isPoor?: boolean }): Promise<LocalAccount>;
  /** A new wallet with SOL and a million units of each token. If `isPoor`, the wallet is empty. */
  newSolanaPayer(options?: { isPoor?: boolean }): Promise<LocalSolanaAccount>;
  /** The newest login code mailed to the address. Waits until there is one. */
  loginCode(email: string): Promise<string>;
  /** All mails to the address, oldest first, as received over SMTP. */
  mails(email: string): Promise<string[]>;
};

/** Short enough for a test to follow a payment from its creation to its settlement. */
const WATCHABLE_SECONDS = 5;
const PATIENCE_MS = 60_000;
const FUNDING_LIMIT_MS = 60_000;

/** Starts the installation unless another file of the run has done so. This takes ten seconds on an idle machine and minutes under load. */
export async function openBrowserGround(): Promise<BrowserGround> {
  const installationUrl = inject('installationServer');
  const response = await fetch(`${installationUrl}/installation`);
  if (!response.ok) throw new Error(await response.json());
  const { demo, databaseUrl }: StandingInstallation = await response.json();
  const database = openDatabase({ url: databaseUrl, poolSize: 2 });
  onTeardown(() => database.$disconnect());
  const mails = async (email: string): Promise<string[]> =>
    await (await fetch(`${installationUrl}/mails?to=${encodeURIComponent(email)}`)).json();
  return {
    origin: demo.restUrl,
    demo,
    database,
    mails,
    openShop: (name = 'Corner shop') => openShop({ database, origin: demo.restUrl }, name),
    async newPayer({ isPoor = false } = {}) {
      const privateKey = generatePrivateKey();
      const { address } = privateKeyToAccount(privateKey);
      if (!isPoor) {
        const furnish = ({ rpcUrl, chainId }: { rpcUrl: string; chainId: number }) =>
          furnishChain({ rpcUrl, chainId, fund: [address] });
        // Test files run in several processes, but the funding account has a single sequence of nonces.
        const funding = async (tx: Pick<typeof database, '$executeRaw'>) => {
          await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('fund a payer'))`;
          await Promise.all(demo.chains.map(furnish));
        };
        await database.$transaction(funding, { maxWait: FUNDING_LIMIT_MS, timeout: FUNDING_LIMIT_MS });
      }
      return { address, privateKey };
    },
    async newSolanaPayer({ isPoor = false } = {}) {
      const keypair = Keypair.generate();
      const address = keypair.publicKey.toBase58();
      if (!isPoor) await furnishSolana({ rpcUrl: demo.solana?.rpcUrl ?? '', fund: [address] });
      return { address, secretKey: base58.encode(keypair.secretKey) };
    },
    async loginCode(email) {
      const codes = async () => (await mails(email)).flatMap((mail) => /login code is (\d{6})\./.exec(mail)?.[1] ?? []);
      await expect.poll(async () => (await codes()).length, { timeout: PATIENCE_MS }).toBeGreaterThan(0);
      return (await codes()).at(-1) ?? '';
    },
  };
}

async function openShop(world: { database: Database; origin: string }, name: string): Promise<ShopGround> {
  const { database, origin } = world;
  const merchant = await createMerchant({ database }, { name });
  const app = await createApp({ database }, { merchantId: merchant.id, name, mode: 'TEST' });
  const scope = { merchantId: merchant.id, appId: app.id };
  await database.app.update({
    where: { id: app.id },
    data: { timelockDuration: WATCHABLE_SECONDS, disputeStartDuration: WATCHABLE_SECONDS },
  });
  await setPayoutAddress(
    { database, registry: loadRegistry({ rpc: [] }) },
    { scope, family: 'EVM', address: localAccounts.merchant.address },
  );
  await setPayoutAddress(
    { database, registry: loadRegistry({ rpc: [] }) },
    { scope, family: 'SOLANA', address: localSolanaAccounts.merchant.address },
  );
  const { secret: secretKey } = await createApiKey(
    { database, clock: systemClock },
    { scope, kind: 'SECRET', name: 'Server' },
  );
  const publishable = await createApiKey(
    { database, clock: systemClock },
    { scope, kind: 'PUBLISHABLE', name: 'Web shop' },
  );
  const ownerEmail = `owner-${crypto.randomUUID().slice(0, 8)}@example.com`;
  await inviteMember({ database, clock: systemClock }, { merchantId: merchant.id, email: ownerEmail, role: 'OWNER' });
  return {
    ...scope,
    secretKey,
    publishableKey: publishable.secret,
    ownerEmail,
    async call(method, path, body) {
      const response = await fetch(`${origin}${path}`, {
        method,
        headers: {
          'x-api-key': secretKey,
          ...(method === 'GET' ? {} : { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === '' ? undefined : JSON.parse(text).data;
    },
  };
}
