import { encodeFunctionData, erc20Abi, getAddress } from 'viem';
import { z } from 'zod';
import type { Demo } from '../demo-file.ts';
import { type Balances, type Parties, readBalances } from './balances.ts';
import { followPayment } from './follow-payment.ts';
import type { GatewayClient } from './gateway-client.ts';
import { openPayerWallet, type PayerWallet, type Step, stepSchema } from './payer-wallet.ts';
import type { Moment } from './timeline.ts';
import { openTimeline, type Timeline } from './timeline.ts';

export const methods = ['DIRECT', 'PERMIT', 'APPROVAL'] as const;
/** TRANSFER is not one of the methods that wallets choose from, because the payer sends it manually. */
export type Method = (typeof methods)[number] | 'TRANSFER';

export type Payment = {
  paymentIntentId: string;
  method: Method;
  chainId: number;
  token: { key: string; symbol: string; decimals: number; address: `0x${string}` };
  /** Base units that the payer has to pay. */
  paid: bigint;
  parties: Parties;
  before: Balances;
  after: Balances;
};

export type PayWorld = {
  demo: Demo;
  gateway: GatewayClient;
  /** Called for each moment as it occurs. */
  onMoment: (moment: Moment) => void;
  /** Limit for the payment to reach SETTLED once the payer has done their part. */
  settleLimitMs: number;
};

export type PayRequest = {
  method: Method;
  amount: string;
  chainId: number;
  payer: Demo['payers'][number];
  /** Symbol of the token. If omitted, the token that demonstrates the method best. */
  symbol?: string | undefined;
};

const withId = z.object({ id: z.string() });
const optionsSchema = z.object({
  options: z.array(
    z.object({
      chainId: z.number(),
      tokenKey: z.string(),
      symbol: z.string(),
      decimals: z.number(),
      methods: z.array(z.string()),
    }),
  ),
});
const address = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)]);
const transferSchema = z.object({
  kind: z.literal('transfer'),
  description: z.string(),
  address,
  amount: z.string(),
});
type TransferStep = z.infer<typeof transferSchema>;
const preparedSchema = z.object({
  quote: z.object({ id: z.string(), cryptoAmount: z.string() }),
  steps: z.array(z.union([transferSchema, stepSchema])),
});
const termsSchema = z.object({
  paymentIntent: z.object({
    terms: z.array(z.object({ struct: z.object({ merchant: z.string(), feeRecipient: z.string() }) })),
  }),
});

/**
 * Makes one payment from its intent to SETTLED, using only HTTP, graphql-ws, a key and a wallet for merchant and payer. Returns the
 * balances of all parties before and after. Throws if the gateway refuses or a limit is exceeded.
 */
export async function payByMethod(world: PayWorld, request: PayRequest): Promise<Payment> {
  const { demo, gateway } = world;
  const chain = demo.chains.find((one) => one.chainId === request.chainId);
  if (!chain) throw new Error(`There is no chain ${request.chainId}.`);
  const wallet = openPayerWallet(chain, request.payer.privateKey);
  const timeline = openTimeline(world.onMoment);

  const body = { amount: request.amount, currency: 'USD', metadata: { demo: request.method } };
  const { id } = await gateway.call(withId, { method: 'POST', path: '/payments/intents', body });
  const followed = followPayment(demo, { id, onUpdate: timeline.emitNew });
  try {
    await followed.until(() => true, world.settleLimitMs);
    const prepared = await prepare(gateway, { ...request, id, wallet });
    const { option, quote } = prepared;
    timeline.did(`${request.method} prepared`);
    const token = tokenOf(chain, option);
    const parties = { payer: wallet.address, escrow: getAddress(chain.escrow), ...(await payees(gateway, id)) };
    const before = await readBalances(wallet.client, { token: token.address, parties });

    const { signatures, txHash } = await doSteps(wallet, { steps: prepared.steps, token: token.address, timeline });
    await gateway.call(withId, {
      method: 'POST',
      path: `${prepared.path}/confirm`,
      body:
        txHash !== undefined && Object.keys(signatures).length === 0
          ? { quoteId: quote.id, txHash }
          : { quoteId: quote.id, signatures },
    });
    timeline.did('confirmed');
    await followed.until((update) => update.status === 'SETTLED', world.settleLimitMs);
    const after = await readBalances(wallet.client, { token: token.address, parties });
    const { method, chainId } = request;
    return { paymentIntentId: id, method, chainId, token, paid: BigInt(quote.cryptoAmount), parties, before, after };
  } finally {
    await followed.stop();
  }
}

/** Creates a checkout session for the intent, and a quote for the wallet on the chain. */
async function prepare(gateway: GatewayClient, request: PayRequest & { id: string; wallet: PayerWallet }) {
  const { method, chainId, wallet, symbol } = request;
  const body = { paymentIntentId: request.id };
  const session = await gateway.call(withId, { method: 'POST', path: '/checkout-sessions', body });
  const path = `/checkout-sessions/${session.id}`;
  const { options } = await gateway.call(optionsSchema, { method: 'GET', path: `${path}/options` });
  const fitting = options.filter(
    (one) => one.chainId === chainId && one.methods.includes(method) && (symbol === undefined || one.symbol === symbol),
  );
  // A token that can only be approved is the better example.
  const approvedOnly = method === 'APPROVAL' ? fitting.find((one) => !one.methods.includes('PERMIT')) : undefined;
  const option = approvedOnly ?? fitting[0];
  if (!option) throw new Error(`${method} is not offered on chain ${chainId}${symbol ? ` in ${symbol}` : ''}.`);
  const prepared = await gateway.call(preparedSchema, {
    method: 'POST',
    path: `${path}/prepare`,
    body: { chainId, tokenKey: option.tokenKey, walletAddress: wallet.address, method },
  });
  return { ...prepared, path, option };
}

function tokenOf(chain: Demo['chains'][number], option: { tokenKey: string; symbol: string; decimals: number }) {
  const { tokenKey: key, symbol, decimals } = option;
  const address = chain.tokens.find((one) => one.key === key)?.address;
  if (address === undefined) throw new Error(`The demo file does not name ${key}.`);
  return { key, symbol, decimals, address: getAddress(address) };
}

/** Returns the recipients in the signed terms. */
async function payees(gateway: GatewayClient, id: string): Promise<Pick<Parties, 'merchant' | 'feeRecipient'>> {
  const document = 'query Terms($id: ID!) { paymentIntent(id: $id) { terms { struct } } }';
  const { paymentIntent } = await gateway.query(termsSchema, document, { id });
  const struct = paymentIntent.terms.at(-1)?.struct;
  if (!struct) throw new Error(`Payment ${id} has no signed terms.`);
  return { merchant: getAddress(struct.merchant), feeRecipient: getAddress(struct.feeRecipient) };
}

/** The token's own transfer, which is what an exchange sends. */
function transferOf(
  token: `0x${string}`,
  { address: to, amount, description }: TransferStep,
): Extract<Step, { kind: 'transaction' }> {
  const args = [to, BigInt(amount)] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  return { kind: 'transaction', description, to: token, data, value: '0' };
}

async function doSteps(
  wallet: PayerWallet,
  request: { steps: (Step | TransferStep)[]; token: `0x${string}`; timeline: Timeline },
) {
  const signatures: Record<string, string> = {};
  let txHash: string | undefined;
  for (const step of request.steps) {
    if (step.kind === 'signTypedData') {
      signatures[step.name] = await wallet.sign(step);
      request.timeline.did(`payer signed: ${step.name}`);
    } else {
      const sent = await wallet.send(step.kind === 'transfer' ? transferOf(request.token, step) : step);
      txHash = sent.txHash;
      request.timeline.did(`payer sent: ${step.description}`, sent);
    }
  }
  return { signatures, txHash };
}
