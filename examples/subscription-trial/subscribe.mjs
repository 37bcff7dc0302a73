/**
 * A monthly subscription with a trial of 14 days: `node examples/subscription-trial/subscribe.mjs [--advance]`. The payer signs once, and nothing is
 * charged before the trial ends. `--advance` moves the installation's test clock to the end of the trial, and waits for the first charge.
 */
import { parseArgs } from 'node:util';
import { createSluice } from '@sluice/sdk';
import { readDemo } from '../demo.mjs';
import { doSteps, openWallet } from '../payer-wallet.mjs';

const { values } = parseArgs({ options: { advance: { type: 'boolean', default: false } } });
const demo = readDemo();
const { appId } = demo;
const [chain] = demo.chains;
const wallet = openWallet(chain, demo.payers[1].privateKey);

// The merchant's server.
const merchant = createSluice({ baseUrl: demo.restUrl, apiKey: demo.secretKey });
const plan = await merchant.productPlans.create({
  name: 'Tea of the month',
  planType: 'SUBSCRIPTION',
  prices: [{ amount: '15.00', currency: 'USD', billingInterval: 'MONTH', trialPeriodDays: 14, isDefault: true }],
});
const customer = await merchant.customers.create({ appId, name: 'Ada Lovelace', email: 'ada@example.com' });
const subscription = await merchant.subscriptions.create({
  appId,
  customerAccountId: customer.id,
  productPlanId: plan.id,
  productPlanPriceId: plan.prices[0].id,
  allowedChains: [chain.chainId],
});
const session = await merchant.subscriptions.createCheckout(subscription.id, { uiMode: 'HEADLESS' });
console.log(`Subscription ${subscription.id} is ${subscription.status}`);

// The payer's program: the permit gives the allowance, and the consent limits what may be charged in a period.
const payer = createSluice({ baseUrl: demo.restUrl, clientSecret: session.clientSecret });
const { options } = await payer.checkoutSessions.getOptions(session.id);
const option = options.find(({ methods }) => methods.includes('PERMIT'));
if (!option) throw new Error('No token of this subscription takes permits.');
const { quote, steps } = await payer.checkoutSessions.prepare(session.id, {
  chainId: option.chainId,
  tokenKey: option.tokenKey,
  walletAddress: wallet.address,
  method: 'PERMIT',
});
const { signatures } = await doSteps(wallet, steps);
await payer.checkoutSessions.confirm(session.id, { quoteId: quote.id, signatures });

// The merchant's server again.
const active = await until(({ status }) => status === 'ACTIVE');
console.log(`It is ACTIVE, and on trial until ${active.trialEnd}`);

if (values.advance) {
  await merchant.testClock.advance({ to: active.trialEnd });
  const renewed = await until(({ currentPeriodStart }) => currentPeriodStart === active.trialEnd);
  const { invoices } = await merchant.subscriptions.get(subscription.id);
  const [invoice] = invoices;
  console.log(`Charged ${invoice.total} ${invoice.currency}, invoice ${invoice.invoiceNumber} is ${invoice.status}`);
  console.log(`The next charge is due on ${renewed.currentPeriodEnd}`);
}

async function until(fits) {
  for await (const state of merchant.subscriptions.watch(subscription.id)) {
    if (fits(state)) return state;
    if (state.status === 'CANCELLED' || state.status === 'PAST_DUE') throw new Error(`It is ${state.status}.`);
  }
}
