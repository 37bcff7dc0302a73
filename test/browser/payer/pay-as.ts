/** Actions of a payer before the payer's page: paying a merchant, subscribing, or paying terms of another operator. */
import { type Address, getAddress, type Hex, parseUnits, zeroAddress } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { authorizeCall } from '../../../src/escrow/calldata.ts';
import { type PaymentTerms, termsHash, termsTypedData, uuidToBytes32 } from '../../../src/escrow/terms.ts';
import { openPayerWallet, stepSchema } from '../../../src/local/demo/payer-wallet.ts';
import type { LocalAccount } from '../../../src/local/local-accounts.ts';
import { newId } from '../../../src/platform/identifier.ts';
import type { BrowserGround, ShopGround } from '../setup/ground.ts';

const CHAIN = 31337;
const TOKEN = `USDC-${CHAIN}`;

export function walletOf(ground: BrowserGround, payer: LocalAccount) {
  const chain = ground.demo.chains.find(({ chainId }) => chainId === CHAIN);
  if (!chain) throw new Error(`There is no chain ${CHAIN}.`);
  return { chain, escrow: getAddress(chain.escrow), wallet: openPayerWallet(chain, payer.privateKey) };
}

/** Pays from the wallet with a transaction in USDC. Returns the ID of the payment intent. */
export async function payShop(ground: BrowserGround, shop: ShopGround, payer: LocalAccount): Promise<string> {
  return (await paySession(ground, shop, { payer })).paymentIntentId;
}

/** The same in USDC or another token. Returns the session with its client secret. */
export async function paySession(
  ground: BrowserGround,
  shop: ShopGround,
  { payer, tokenKey = TOKEN }: { payer: LocalAccount; tokenKey?: string },
): Promise<{ id: string; paymentIntentId: string; clientSecret: string }> {
  const session = await shop.call('POST', '/checkout-sessions', {
    items: [{ name: 'A pot of tea', amount: '12.50' }],
  });
  await doSession(ground, shop, { path: `/checkout-sessions/${session.id}`, payer, method: 'DIRECT', tokenKey });
  return session;
}

/** Starts a monthly subscription, charged for its first month. Returns its ID and its customer's. */
export async function subscribe(
  ground: BrowserGround,
  shop: ShopGround,
  payer: LocalAccount,
  { name = 'Ada', planName = 'Tea club', amount = '10' } = {},
): Promise<{ id: string; customerAccountId: string }> {
  const { appId } = shop;
  const email = `${name.toLowerCase()}@example.com`;
  const customer = await shop.call('POST', '/customers', { appId, name, email });
  const prices = [{ amount, billingInterval: 'MONTH' }];
  const plan = await shop.call('POST', '/product-plans', { appId, name: planName, planType: 'SUBSCRIPTION', prices });
  const subscription = await shop.call('POST', '/subscriptions', {
    appId,
    customerAccountId: customer.id,
    productPlanId: plan.id,
    productPlanPriceId: plan.prices[0].id,
  });
  const session = await shop.call('POST', `/subscriptions/${subscription.id}/checkout`, {});
  await doSession(ground, shop, { path: `/checkout-sessions/${session.id}`, payer, method: 'PERMIT', tokenKey: TOKEN });
  return { id: subscription.id, customerAccountId: customer.id };
}

async function doSession(
  ground: BrowserGround,
  shop: ShopGround,
  request: { path: string; payer: LocalAccount; method: 'DIRECT' | 'PERMIT'; tokenKey: string },
): Promise<void> {
  const { path, payer, method, tokenKey } = request;
  const { wallet } = walletOf(ground, payer);
  const way = { chainId: CHAIN, tokenKey, walletAddress: payer.address, method };
  const { quote, steps } = await shop.call('POST', `${path}/prepare`, way);
  const signatures: Record<string, Hex> = {};
  let txHash: Hex | undefined;
  for (const step of stepSchema.array().parse(steps)) {
    if (step.kind === 'signTypedData') signatures[step.name] = await wallet.sign(step);
    else txHash = (await wallet.send(step)).txHash;
  }
  const confirmed = method === 'DIRECT' ? { txHash } : { signatures };
  await shop.call('POST', `${path}/confirm`, { quoteId: quote.id, ...confirmed });
}

/** Authorizes a payment with terms that this gateway does not know, and that nobody captures. In the chain's coin. */
export async function holdElsewhere(
  ground: BrowserGround,
  payer: LocalAccount,
  { merchant, seconds }: { merchant: Address; seconds: number },
): Promise<{ id: Hex; terms: PaymentTerms }> {
  const { chain, escrow, wallet } = walletOf(ground, payer);
  const operator = privateKeyToAccount(generatePrivateKey());
  const now = Math.max(Math.floor(Date.now() / 1000), await blockTime(chain.rpcUrl));
  const terms: PaymentTerms = {
    intentId: uuidToBytes32(newId()),
    payer: payer.address,
    merchant,
    token: zeroAddress,
    amount: parseUnits('0.25', 18),
    authorizeBy: now + seconds,
    captureBy: now + seconds,
    timelock: 0,
    disputeWindow: 0,
    disputeTimeout: 0,
    timeoutPayerBps: 0,
    feeBps: 0,
    feeRecipient: zeroAddress,
    operator: operator.address,
    arbiter: zeroAddress,
    quoteHash: uuidToBytes32(newId()),
    captureOnAuthorize: false,
  };
  const place = { chainId: CHAIN, escrow };
  const operatorSignature = await operator.signTypedData(termsTypedData({ ...place, terms }));
  const call = authorizeCall({ escrow, terms, operatorSignature });
  await wallet.send({ kind: 'transaction', description: 'pay', ...call, value: String(call.value) });
  return { id: termsHash(terms), terms };
}

async function blockTime(rpcUrl: string): Promise<number> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: ['latest', false] }),
  });
  const { result } = await response.json();
  return Number(result.timestamp);
}
