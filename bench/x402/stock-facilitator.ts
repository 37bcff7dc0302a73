/**
 * The facilitator of `@x402/evm` as a server: one key, one process. With NONCES=managed its wallet counts its nonces itself, by viem's
 * nonce manager; otherwise it reads each from the node, as in the package's own example.
 */
import { createServer } from 'node:http';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createWalletClient, defineChain, http, isHex, publicActions } from 'viem';
import { nonceManager, privateKeyToAccount } from 'viem/accounts';

const { PORT, RPC_URL = '', CHAIN_ID, FACILITATOR_KEY = '', NONCES, CONFIRMATION_TIMEOUT_MS } = process.env;
if (!isHex(FACILITATOR_KEY)) throw new Error('FACILITATOR_KEY is not a private key.');

/** The interval at which the gateway polls its local node. */
const POLLING_MS = 100;

const chain = defineChain({
  id: Number(CHAIN_ID),
  name: 'Local',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [RPC_URL] } },
});
const account = privateKeyToAccount(FACILITATOR_KEY, NONCES === 'managed' ? { nonceManager } : {});
const client = createWalletClient({ account, chain, transport: http(RPC_URL), pollingInterval: POLLING_MS }).extend(
  publicActions,
);
const signer = toFacilitatorEvmSigner(
  {
    address: account.address,
    readContract: (args) => client.readContract(args as never),
    verifyTypedData: (args) => client.verifyTypedData(args as never),
    writeContract: (args) => client.writeContract(args as never),
    sendTransaction: (args) => client.sendTransaction(args as never),
    waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
    getCode: (args) => client.getCode(args),
  },
  { confirmationTimeoutMs: Number(CONFIRMATION_TIMEOUT_MS) },
);
const facilitator = new x402Facilitator().register(`eip155:${chain.id}`, new ExactEvmScheme(signer));

const server = createServer(async (request, response) => {
  try {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { paymentPayload }: { paymentPayload: PaymentPayload } = JSON.parse(text);
    const settled = await facilitator.settle(paymentPayload, paymentPayload.accepted);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(settled));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(Number(PORT), '127.0.0.1', () => process.send?.('listening'));
process.once('disconnect', () => process.exit(0));
