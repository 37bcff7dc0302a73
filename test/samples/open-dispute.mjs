/** Prints the id of an open dispute: the payment of a demo wallet, which that wallet disputes as docs/disputes.md describes. */
import { createSluice } from '@sluice/sdk';
import { readDemo } from './examples/demo.mjs';
import { doSteps, openWallet } from './examples/payer-wallet.mjs';

const demo = readDemo();
const [chain] = demo.chains;
const wallet = openWallet(chain, demo.payers[0].privateKey);
const merchant = createSluice({ baseUrl: demo.restUrl, apiKey: demo.secretKey });
console.log = console.error;

const intent = await merchant.paymentIntents.create({ amount: '20.00' });
const session = await merchant.checkoutSessions.create({ paymentIntentId: intent.id });
const payer = createSluice({ baseUrl: demo.restUrl, clientSecret: session.clientSecret });
const { quote, steps } = await payer.checkoutSessions.prepare(session.id, {
  chainId: chain.chainId,
  tokenKey: chain.tokens[0].key,
  walletAddress: wallet.address,
  method: 'PERMIT',
});
await payer.checkoutSessions.confirm(session.id, { quoteId: quote.id, ...(await doSteps(wallet, steps)) });
for await (const { status } of merchant.paymentIntents.watch(intent.id)) if (status === 'CAPTURED') break;

const reason = 'The parcel was empty.';
const asked = await payer.paymentIntents.dispute(intent.id, { reason });
const { signatures } = await doSteps(wallet, asked.steps);
await payer.paymentIntents.dispute(intent.id, { reason, signature: Object.values(signatures)[0] });
for (;;) {
  const { dispute } = await merchant.paymentIntents.get(intent.id);
  if (dispute) {
    process.stdout.write(dispute.id);
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
}
