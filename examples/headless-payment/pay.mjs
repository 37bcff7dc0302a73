/**
 * A payment from a script, without a page: `node examples/headless-payment/pay.mjs [amount] [--method DIRECT|PERMIT|APPROVAL]`. The merchant's part
 * uses the secret key. The payer's part uses only the session's client secret and the payer's own wallet.
 */
import { parseArgs } from 'node:util';
import { createSluice } from '@sluice/sdk';
import { readDemo } from '../demo.mjs';
import { doSteps, openWallet } from '../payer-wallet.mjs';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { method: { type: 'string', default: 'PERMIT' } },
});
const [amount = '12.50'] = positionals;
const demo = readDemo();
const [chain] = demo.chains;
const wallet = openWallet(chain, demo.payers[0].privateKey);

// The merchant's server.
const merchant = createSluice({ baseUrl: demo.restUrl, apiKey: demo.secretKey });
const intent = await merchant.paymentIntents.create({ amount, currency: 'USD', allowedChains: [chain.chainId] });
const session = await merchant.checkoutSessions.create({ paymentIntentId: intent.id });
console.log(`Payment intent ${intent.id} over ${intent.amount} ${intent.currency}`);

// The payer's program.
const payer = createSluice({ baseUrl: demo.restUrl, clientSecret: session.clientSecret });
const { options } = await payer.checkoutSessions.getOptions(session.id);
const option = options.find(({ methods }) => methods.includes(values.method));
if (!option) throw new Error(`${values.method} is not offered for this payment.`);
const { quote, steps } = await payer.checkoutSessions.prepare(session.id, {
  chainId: option.chainId,
  tokenKey: option.tokenKey,
  walletAddress: wallet.address,
  method: values.method,
});
console.log(`Pays ${quote.cryptoAmount} base units of ${option.tokenKey}`);
const { signatures, txHash } = await doSteps(wallet, steps);
await payer.checkoutSessions.confirm(session.id, { quoteId: quote.id, ...(signatures ? { signatures } : { txHash }) });

// The merchant's server again.
for await (const { status, captureTxHash } of merchant.paymentIntents.watch(intent.id)) {
  console.log(status, captureTxHash ?? '');
  if (status === 'CAPTURED' || status === 'SETTLED') break;
  if (status === 'FAILED' || status === 'CANCELLED') process.exit(1);
}
