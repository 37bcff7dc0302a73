import { type Address, createWalletClient, erc20Abi, http, isAddress, isHex, maxUint256, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { openDatabase, transaction } from '../prisma/client.ts';
import { consentHash, consentToJson, consentTypedData, type RecurringConsent } from '../src/escrow/consent.ts';
import { uuidToBytes32 } from '../src/escrow/terms.ts';
import type { Demo } from '../src/local/demo-file.ts';
import { newId } from '../src/platform/identifier.ts';
import { scheduleRenewal } from '../src/subscriptions/schedule-renewal.ts';

const PRICE = '0.10';
/** Base units: 0.1 of a token with 6 decimals at one dollar, and a quarter more. */
const CAP = 125_000n;
const BATCH = 500;
const FEE_BPS = 100;

type Chain = Demo['chains'][number];
type Owner = {
  appId: string;
  customerAccountId: string;
  customerWalletId: string;
  productPlanId: string;
  productPlanPriceId: string;
};

/**
 * Subscriptions whose trial has just ended, signed by a demo payer: all of them are due at `dueAt`. Their operator and
 * fee recipient are the installation's. Answers the plan that they are of.
 */
export async function seedRenewals(
  databaseUrl: string,
  request: { demo: Demo; count: number; operator: Address; dueAt: Date },
): Promise<{ productPlanId: string }> {
  const { demo, count, operator, dueAt } = request;
  const [chain] = demo.chains;
  const [payer] = demo.payers;
  if (!chain || !payer || !isHex(payer.privateKey)) throw new Error('The demo has no chain or no payer.');
  const account = privateKeyToAccount(payer.privateKey);
  await approve(chain, account);
  const database = openDatabase({ url: databaseUrl });
  try {
    const owner = await makeOwner(database, { demo, chain, wallet: account.address });
    for (let made = 0; made < count; made += BATCH) {
      const size = Math.min(BATCH, count - made);
      const rows = await Promise.all(
        Array.from({ length: size }, () => subscriptionRows({ chain, account, owner, operator, dueAt })),
      );
      await transaction(database, async (tx) => {
        await tx.subscription.createMany({ data: rows.map((row) => row.subscription) });
        await tx.subscriptionConsent.createMany({ data: rows.map((row) => row.consent) });
        await tx.$executeRaw`
          UPDATE subscription SET consent_id = consent.consent_id FROM subscription_consent consent
          WHERE consent.subscription_id = subscription.id AND subscription.consent_id IS NULL`;
        for (const { subscription } of rows)
          await scheduleRenewal(tx, { subscriptionId: subscription.id, runAt: dueAt });
      });
    }
    return { productPlanId: owner.productPlanId };
  } finally {
    await database.$disconnect();
  }
}

async function approve(chain: Chain, account: ReturnType<typeof privateKeyToAccount>): Promise<void> {
  const client = createWalletClient({ account, transport: http(chain.rpcUrl) }).extend(publicActions);
  const token = chain.tokens[0]?.address;
  if (!token || !isAddress(token) || !isAddress(chain.escrow)) throw new Error('The demo has no token.');
  const hash = await client.writeContract({
    address: token,
    abi: erc20Abi,
    functionName: 'approve',
    args: [chain.escrow, maxUint256],
    chain: null,
  });
  await client.waitForTransactionReceipt({ hash });
}

async function makeOwner(
  database: ReturnType<typeof openDatabase>,
  { demo, chain, wallet }: { demo: Demo; chain: Chain; wallet: Address },
): Promise<Owner> {
  const { appId } = demo;
  const [customerAccountId, customerWalletId, productPlanId, productPlanPriceId] = [newId(), newId(), newId(), newId()];
  await database.customerAccount.create({ data: { id: customerAccountId, appId } });
  await database.customerWallet.create({
    data: { id: customerWalletId, customerAccountId, chainId: chain.chainId, walletAddress: wallet },
  });
  await database.productPlan.create({ data: { id: productPlanId, appId, name: 'Bench', planType: 'SUBSCRIPTION' } });
  await database.productPlanPrice.create({
    data: { id: productPlanPriceId, productPlanId, amount: PRICE, billingInterval: 'MONTH', isDefault: true },
  });
  return { appId, customerAccountId, customerWalletId, productPlanId, productPlanPriceId };
}

async function subscriptionRows(request: {
  chain: Chain;
  account: ReturnType<typeof privateKeyToAccount>;
  owner: Owner;
  operator: Address;
  dueAt: Date;
}) {
  const { chain, account, owner, operator, dueAt } = request;
  const [token] = chain.tokens;
  if (!token || !isAddress(token.address) || !isAddress(chain.escrow)) throw new Error('The demo has no token.');
  const id = newId();
  const place = { chainId: chain.chainId, escrow: chain.escrow };
  const signed: RecurringConsent = {
    subscriptionId: uuidToBytes32(id),
    payer: account.address,
    merchant: operator,
    token: token.address,
    capPerPeriod: CAP,
    start: Math.floor(dueAt.getTime() / 1000) - 1,
    unit: 1,
    count: 1,
    end: 0,
    feeBps: FEE_BPS,
    feeRecipient: operator,
    operator,
    arbiter: '0x0000000000000000000000000000000000000000',
    timelock: 86_400,
    disputeWindow: 0,
    disputeTimeout: 0,
    timeoutPayerBps: 0,
  };
  const consent = { ...place, consent: signed };
  const now = new Date();
  return {
    subscription: {
      ...owner,
      id,
      status: 'ACTIVE' as const,
      trialStart: now,
      trialEnd: dueAt,
      currentPeriodStart: now,
      currentPeriodEnd: dueAt,
      billingCycleAnchor: dueAt,
    },
    consent: {
      consentId: consentHash(consent),
      subscriptionId: id,
      quoteId: newId(),
      chainId: chain.chainId,
      tokenKey: token.key,
      walletAddress: account.address,
      method: 'APPROVAL' as const,
      consent: consentToJson(signed),
      capPerPeriod: String(CAP),
      cryptoAmount: '100000',
      exchangeRate: '1',
      quoteExpiresAt: now,
      signedAt: now,
      acceptedAt: now,
      payerSignature: await account.signTypedData(consentTypedData(consent)),
    },
  };
}
