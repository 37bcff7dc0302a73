/** A subscription of a wallet that is a contract, over HTTP: from the hosted checkout to renewals that its owner has signed. */
import { encodeFunctionData, erc20Abi } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PaymentStep } from '../../src/checkout/payment-step.ts';
import { signStep } from '../checkout/sign-step.ts';
import { type ContractWallet, deployContractWallet } from '../setup/chains/contract-wallet.ts';
import { openRunningGateway, type RunningGateway } from '../setup/gateway/running-gateway.ts';

const FUNDS = 100_000_000n;

let gateway: RunningGateway;
let wallet: ContractWallet;
let session: { id: string; clientSecret: string };
let subscriptionId: string;
beforeAll(async () => {
  gateway = await openRunningGateway();
  const [owner] = gateway.evm.payers;
  wallet = await deployContractWallet(gateway.evm, owner);
  await fund();
  const { appId } = gateway.scope;
  const prices = [{ amount: '10', billingInterval: 'MONTH', isDefault: true }];
  const plan = await call('POST', '/product-plans', { body: { name: 'Gold', planType: 'SUBSCRIPTION', prices } });
  const customer = await call('POST', '/customers', { body: { appId, name: 'Ada' } });
  const bought = { productPlanId: plan.id, productPlanPriceId: plan.prices[0].id };
  const body = { appId, customerAccountId: customer.id, ...bought };
  subscriptionId = (await call('POST', '/subscriptions', { body })).id;
  session = await call('POST', `/subscriptions/${subscriptionId}/checkout`);
});

const call = async (...request: Parameters<RunningGateway['rest']>) => {
  const answer = await gateway.rest(...request);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
};
const atCheckout = (path: string, body: object) =>
  gateway.rest('POST', `/checkout-sessions/${session.id}/${path}`, { clientSecret: session.clientSecret, body });
const prepare = async (method: 'APPROVAL' | 'PERMIT') => {
  const { chainId, usdc } = gateway.evm;
  const way = { chainId, tokenKey: usdc.key, walletAddress: wallet.address, method };
  const answer = await atCheckout('prepare', way);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data as { quote: { id: string }; steps: PaymentStep[] };
};
/** The signatures of this key for the steps. */
const signed = async (steps: readonly PaymentStep[], by: { privateKey: `0x${string}` }) => {
  const asked = steps.filter((step) => step.kind === 'signTypedData');
  return Object.fromEntries(await Promise.all(asked.map(async (step) => [step.name, await signStep(by, step)])));
};
const retrieve = () => call('GET', `/subscriptions/${subscriptionId}`);
const held = () => {
  const { publicClient, usdc } = gateway.evm;
  const balance = { address: usdc.address, abi: erc20Abi, functionName: 'balanceOf', args: [wallet.address] } as const;
  return publicClient.readContract(balance);
};

async function fund() {
  const { evm } = gateway;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [wallet.address, FUNDS] });
  const hash = await evm.walletFor(evm.payers[0].privateKey).sendTransaction({ to: evm.usdc.address, data });
  await evm.publicClient.waitForTransactionReceipt({ hash });
}

describe('a subscription of a contract wallet', () => {
  it('rejects a permit and names APPROVAL instead, because tokens accept permits of keys only', async () => {
    const { quote, steps } = await prepare('PERMIT');
    const signatures = await signed(steps, gateway.evm.payers[0]);
    const refused = await atCheckout('confirm', { quoteId: quote.id, signatures });
    expect([refused.status, refused.body.error.details]).toEqual([
      400,
      [{ param: 'signatures.permit', message: expect.stringContaining('APPROVAL') }],
    ]);
  });

  it('rejects a signature that the wallet does not accept, and leaves the session OPEN', async () => {
    const { quote, steps } = await prepare('APPROVAL');
    const signatures = await signed(steps, gateway.evm.payers[1]);
    const refused = await atCheckout('confirm', { quoteId: quote.id, signatures });
    expect([refused.status, refused.body.error]).toMatchObject([
      400,
      {
        code: 'VALIDATION_ERROR',
        details: [{ param: 'signatures.consent', message: `is not ${wallet.address}'s signature of the typed data` }],
      },
    ]);
    expect((await call('GET', `/checkout-sessions/${session.id}`)).status).toBe('OPEN');
    expect((await retrieve()).status).toBe('PENDING');
  });

  it('starts with the wallet’s approval and its owner’s signature of the consent', async () => {
    const { quote, steps } = await prepare('APPROVAL');
    expect(steps.map((step) => step.kind)).toEqual(['transaction', 'signTypedData']);
    for (const step of steps) if (step.kind === 'transaction') await wallet.execute(step.to, step.data);
    const signatures = await signed(steps, gateway.evm.payers[0]);
    expect((await atCheckout('confirm', { quoteId: quote.id, signatures })).status).toBe(200);
    await gateway.advance({ seconds: 5 });
    expect(await retrieve()).toMatchObject({
      status: 'ACTIVE',
      authorizationMethod: 'APPROVAL',
      customerWallet: { walletAddress: wallet.address },
      approvedAllowance: '140000000',
      invoices: [{ status: 'PAID', paymentIntent: { authorizationWalletAddress: wallet.address } }],
    });
    expect(await held()).toBe(FUNDS - 10_000_000n);
    expect((await call('GET', `/checkout-sessions/${session.id}`)).status).toBe('COMPLETE');
  });

  it('is charged at the renewal under the consent that its owner signed', async () => {
    const { currentPeriodEnd } = await retrieve();
    await gateway.advance({ to: new Date(currentPeriodEnd) });
    expect(await retrieve()).toMatchObject({
      status: 'ACTIVE',
      currentPeriodStart: currentPeriodEnd,
      captureRetryCount: 0,
      invoices: [{ status: 'PAID' }, { status: 'PAID' }],
    });
    expect(await held()).toBe(FUNDS - 20_000_000n);
  });

  it('is no longer charged after a change of owner, and stores the contract’s error on the invoice', async () => {
    await wallet.changeOwner(gateway.evm.payers[1].address);
    const { currentPeriodEnd } = await retrieve();
    await gateway.advance({ to: new Date(new Date(currentPeriodEnd).getTime() + 600_000) });
    const subscription = await retrieve();
    expect(subscription).toMatchObject({ status: 'ACTIVE', captureRetryCount: 1 });
    expect(subscription.invoices[0]).toMatchObject({
      status: 'OPEN',
      lastError: { code: 'CHARGE_FAILED', message: expect.stringContaining('InvalidPayerSignature') },
    });
    expect(await held()).toBe(FUNDS - 20_000_000n);
  });
});
