// Pays a payment intent of the demo merchant from a demo wallet, with nothing but HTTP and a key:
//   node docs/pay.mjs <paymentIntentId> [tokenKey]
import { readFileSync } from 'node:fs';
import { createWalletClient, defineChain, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const demo = JSON.parse(readFileSync(new URL('../.local/demo.json', import.meta.url), 'utf8'));
const [paymentIntentId, tokenKey = demo.chains[0].tokens[0].key] = process.argv.slice(2);
const chain = demo.chains.find((one) => one.tokens.some((token) => token.key === tokenKey));
const account = privateKeyToAccount(demo.payers[0].privateKey);
const wallet = createWalletClient({
  account,
  chain: defineChain({
    id: chain.chainId,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [chain.rpcUrl] } },
  }),
  transport: http(chain.rpcUrl),
}).extend(publicActions);

async function rest(path, body) {
  const answer = await fetch(demo.restUrl + path, {
    method: 'POST',
    headers: { 'x-api-key': demo.secretKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data, error } = await answer.json();
  if (error) throw new Error(`${error.code}: ${error.message}`);
  return data;
}

const session = await rest('/checkout-sessions', { paymentIntentId });
const { quote, steps } = await rest(`/checkout-sessions/${session.id}/prepare`, {
  chainId: chain.chainId,
  tokenKey,
  walletAddress: account.address,
  method: 'DIRECT',
});
let txHash;
for (const step of steps) {
  console.log(step.description);
  txHash = await wallet.sendTransaction({ to: step.to, data: step.data, value: BigInt(step.value) });
  await wallet.waitForTransactionReceipt({ hash: txHash });
}
const paid = await rest(`/checkout-sessions/${session.id}/confirm`, { quoteId: quote.id, txHash });
console.log(`Paid ${quote.cryptoAmount} base units of ${tokenKey} in ${txHash}; the session is ${paid.status}.`);
