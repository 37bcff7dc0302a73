import {
  type Address,
  createTestClient,
  erc20Abi,
  type Hex,
  http,
  isAddress,
  isHex,
  maxUint256,
  parseEther,
  publicActions,
  walletActions,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { type DatabaseTransaction, openDatabase, transaction } from '../../prisma/client.ts';
import { consentHash, consentToJson, consentTypedData, type RecurringConsent } from '../../src/escrow/consent.ts';
import { uuidToBytes32 } from '../../src/escrow/terms.ts';
import type { Demo } from '../../src/local/demo-file.ts';
import { newId } from '../../src/platform/identifier.ts';
import { renewSubscriptionJob } from '../../src/subscriptions/jobs.ts';

const PRICE = '0.10';
/** Base units: 0.1 of a token with 6 decimals at a price of one dollar, plus a margin of 25 percent. */
const CAP = 125_000n;
const AMOUNT = 100_000n;
const BATCH = 200;
const HELD_BACK_MS = 3_600_000;
const TRIAL_MS = 7 * 86_400_000;
const FEE_BPS = 100;
export const TIMELOCK_SECONDS = 86_400;

type Chain = Demo['chains'][number];
type Owner = {
  fields: { appId: string; customerAccountId: string; productPlanId: string; productPlanPriceId: string };
  customerWalletIds: string[];
};

/** The number of subscriptions that one wallet pays for. */
const PER_WALLET = 50;

export type SeededRenewals = {
  productPlanId: string;
  wallets: Address[];
  consentIds: Hex[];
  chain: Chain;
  /** The base units that each subscription is charged. */
  amount: bigint;
  /** The base units that each wallet received. */
  filledWith: bigint;
};

/**
 * Creates subscriptions whose trial has just ended, signed by wallets that a demo payer has funded. All of them are due at `dueAt`, and
 * their jobs are scheduled an hour later. Their operator and fee recipient are those of the installation.
 */
export async function seedRenewals(
  databaseUrl: string,
  request: { demo: Demo; count: number; operator: Address; dueAt: Date },
): Promise<SeededRenewals> {
  const { demo, count, operator, dueAt } = request;
  const [chain] = demo.chains;
  const [payer] = demo.payers;
  if (!chain || !payer || !isHex(payer.privateKey)) throw new Error('The demo has no chain or no payer.');
  const accounts = await fillWallets(chain, {
    payer: privateKeyToAccount(payer.privateKey),
    count: Math.ceil(count / PER_WALLET),
  });
  const database = openDatabase({ url: databaseUrl });
  try {
    const wallets = accounts.map((account) => account.address);
    const owner = await makeOwner(database, { demo, chain, wallets });
    const consentIds: Hex[] = [];
    for (let made = 0; made < count; made += BATCH) {
      const numbers = Array.from({ length: Math.min(BATCH, count - made) }, (_, index) => made + index);
      const rows = await Promise.all(
        numbers.map((number) => {
          const place = Math.floor(number / PER_WALLET);
          const [account, customerWalletId] = [accounts[place], owner.customerWalletIds[place]];
          if (!account || !customerWalletId) throw new Error('There are too few wallets.');
          return subscriptionRows({ chain, account, owner, customerWalletId, operator, dueAt });
        }),
      );
      consentIds.push(...rows.map((row) => row.consent.consentId));
      await writeRows(database, { rows, dueAt });
    }
    const { productPlanId } = owner.fields;
    return { productPlanId, wallets, consentIds, chain, amount: AMOUNT, filledWith: CAP * BigInt(PER_WALLET) };
  } finally {
    await database.$disconnect();
  }
}

async function writeRows(
  database: ReturnType<typeof openDatabase>,
  { rows, dueAt }: { rows: readonly Awaited<ReturnType<typeof subscriptionRows>>[]; dueAt: Date },
): Promise<void> {
  await transaction(database, async (tx) => {
    await tx.subscription.createMany({ data: rows.map((row) => row.subscription) });
    await tx.subscriptionConsent.createMany({ data: rows.map((row) => row.consent) });
    await tx.$executeRaw`
      UPDATE subscription SET consent_id = consent.consent_id FROM subscription_consent consent
      WHERE consent.subscription_id = subscription.id AND subscription.consent_id IS NULL`;
    await scheduleAll(tx, { ids: rows.map((row) => row.subscription.id), dueAt });
  });
}

/** Does what `scheduleRenewal` does in one statement. The jobs are scheduled an hour late, so that all of them can be started at once. */
async function scheduleAll(
  tx: DatabaseTransaction,
  { ids, dueAt }: { ids: readonly string[]; dueAt: Date },
): Promise<void> {
  const runAt = new Date(dueAt.getTime() + HELD_BACK_MS);
  await tx.$executeRaw`
    UPDATE subscription SET pending_job_id = job.id::text FROM (
      SELECT wanted, (graphile_worker.add_job(${renewSubscriptionJob.name},
        payload := json_build_object('subscriptionId', wanted), run_at := ${runAt}::timestamptz,
        max_attempts := ${renewSubscriptionJob.maxAttempts}::int, job_key := 'subscription:' || wanted,
        priority := ${renewSubscriptionJob.priority ?? 0}::int)).id
      FROM unnest(${ids}::text[]) AS wanted) AS job
    WHERE subscription.id = job.wanted::uuid`;
}

/** New wallets with gas, enough of the first token for all of their charges, and an allowance for the escrow. */
async function fillWallets(
  chain: Chain,
  { payer, count }: { payer: PrivateKeyAccount; count: number },
): Promise<PrivateKeyAccount[]> {
  const { token, escrow } = placesOf(chain);
  const transport = http(chain.rpcUrl);
  const node = createTestClient({ mode: 'anvil', transport }).extend(publicActions).extend(walletActions);
  const accounts = Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()));
  const call = { address: token, abi: erc20Abi, chain: null } as const;
  for (const account of accounts) {
    await node.setBalance({ address: account.address, value: parseEther('1') });
    const args = [account.address, CAP * BigInt(PER_WALLET)] as const;
    await node.writeContract({ ...call, account: payer, functionName: 'transfer', args });
    const approving = { functionName: 'approve', args: [escrow, maxUint256] } as const;
    const hash = await node.writeContract({ ...call, ...approving, account });
    await node.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  }
  return accounts;
}

export function placesOf(chain: Chain): { token: Address; escrow: Address } {
  const token = chain.tokens[0]?.address;
  if (!token || !isAddress(token) || !isAddress(chain.escrow)) throw new Error('The demo has no token.');
  return { token, escrow: chain.escrow };
}

async function makeOwner(
  database: ReturnType<typeof openDatabase>,
  { demo, chain, wallets }: { demo: Demo; chain: Chain; wallets: readonly Address[] },
): Promise<Owner> {
  const { appId } = demo;
  const [customerAccountId, productPlanId, productPlanPriceId] = [newId(), newId(), newId()];
  const rows = wallets.map((walletAddress) => ({
    id: newId(),
    customerAccountId,
    chainId: chain.chainId,
    walletAddress,
  }));
  await database.customerAccount.create({ data: { id: customerAccountId, appId } });
  await database.customerWallet.createMany({ data: rows });
  await database.productPlan.create({ data: { id: productPlanId, appId, name: 'Bench', planType: 'SUBSCRIPTION' } });
  await database.productPlanPrice.create({
    data: { id: productPlanPriceId, productPlanId, amount: PRICE, billingInterval: 'MONTH', isDefault: true },
  });
  return {
    fields: { appId, customerAccountId, productPlanId, productPlanPriceId },
    customerWalletIds: rows.map((row) => row.id),
  };
}

async function subscriptionRows(request: {
  chain: Chain;
  account: PrivateKeyAccount;
  owner: Owner;
  customerWalletId: string;
  operator: Address;
  dueAt: Date;
}) {
  const { chain, account, owner, customerWalletId, operator, dueAt } = request;
  const [token] = chain.tokens;
  const { token: tokenAddress, escrow } = placesOf(chain);
  if (!token) throw new Error('The demo has no token.');
  const id = newId();
  const place = { chainId: chain.chainId, escrow };
  const signed: RecurringConsent = {
    subscriptionId: uuidToBytes32(id),
    payer: account.address,
    merchant: operator,
    token: tokenAddress,
    capPerPeriod: CAP,
    start: Math.floor(dueAt.getTime() / 1000) - 1,
    unit: 1,
    count: 1,
    end: 0,
    feeBps: FEE_BPS,
    feeRecipient: operator,
    operator,
    arbiter: '0x0000000000000000000000000000000000000000',
    timelock: TIMELOCK_SECONDS,
    disputeWindow: 0,
    disputeTimeout: 0,
    timeoutPayerBps: 0,
  };
  const consent = { ...place, consent: signed };
  const now = new Date();
  const begunAt = new Date(dueAt.getTime() - TRIAL_MS);
  return {
    subscription: {
      ...owner.fields,
      id,
      customerWalletId,
      status: 'ACTIVE' as const,
      trialStart: begunAt,
      trialEnd: dueAt,
      currentPeriodStart: begunAt,
      currentPeriodEnd: dueAt,
      billingCycleAnchor: dueAt,
      authorizationChainId: chain.chainId,
    },
    consent: {
      consentId: consentHash(consent.consent),
      subscriptionId: id,
      quoteId: newId(),
      chainId: chain.chainId,
      tokenKey: token.key,
      walletAddress: account.address,
      method: 'APPROVAL' as const,
      consent: consentToJson(signed),
      capPerPeriod: String(CAP),
      cryptoAmount: String(AMOUNT),
      exchangeRate: '1',
      quoteExpiresAt: now,
      signedAt: now,
      acceptedAt: now,
      payerSignature: await account.signTypedData(consentTypedData(consent)),
    },
  };
}
