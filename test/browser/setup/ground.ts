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

/** A merchant with one test app, an owner and payout addresses; nobody else's tests see it. */
export type ShopGround = {
  merchantId: string;
  appId: string;
  secretKey: string;
  publishableKey: string;
  /** Of a member with all rights: asks for a code, which `loginCode` reads. */
  ownerEmail: string;
  /** A REST call under the secret key; answers `data`, and throws what the gateway said. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it asked for.
  call(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<any>;
};

export type BrowserGround = {
  /** Of the API and the pages. */
  origin: string;
  demo: StandingInstallation['demo'];
  /** The installation's own, for what no page and no API makes. */
  database: Database;
  openShop(name?: string): Promise<ShopGround>;
  /** A fresh wallet with gas and a million of each token on every local EVM chain, or with nothing. */
  newPayer(options?: { isPoor?: boolean }): Promise<LocalAccount>;
  /** A fresh wallet with SOL and a million of each token, or with nothing. */
  newSolanaPayer(options?: { isPoor?: boolean }): Promise<LocalSolanaAccount>;
  /** The newest login code mailed to the address, waiting for the first. */
  loginCode(email: string): Promise<string>;
  /** All mails to the address, oldest first, as they came over SMTP. */
  mails(email: string): Promise<string[]>;
};

/** Short enough to watch a payment from its creation to its settlement. */
const WATCHABLE_SECONDS = 5;
const PATIENCE_MS = 60_000;
const FUNDING_LIMIT_MS = 60_000;

/** Starts the installation when no file of the run has: that takes ten seconds alone, and minutes under load. */
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
        // Test files run in several processes, and the account that funds has one nonce.
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
