/** A real API and a real chain, and payers who do what the steps say. */
import type { Address, Hex } from 'viem';
import type { NodeObservers } from '../../src/chains/rpc-call.ts';
import type { PaymentStep } from '../../src/checkout/payment-step.ts';
import { readEscrowState } from '../../src/escrow/read-escrow-state.ts';
import type { OpenApiOptions } from '../setup/api/api.ts';
import { openRestApi, type RestApi, type RestCall } from '../setup/api/rest.ts';
import { openEvm, type TestEvm } from '../setup/chains/evm.ts';
import { accountOf, signStep } from './sign-step.ts';

type Payer = { address: Address; privateKey: Hex };

export type Prepared = {
  quote: { id: string; tokenKey: string; cryptoAmount: string; exchangeRate: string; expiresAt: string };
  steps: PaymentStep[];
  walletBalance: string;
  walletAllowance: string;
};

export type OpenedSession = { id: string; clientSecret: string; paymentIntentId: string };

const domain = { name: 'USD Coin', version: '2' };

export type CheckoutGround = Awaited<ReturnType<typeof openCheckoutGround>>;

/** `rpc`: nodes of further chains, by chain id. `nodesOf`: the URLs of the chain's own nodes, by that of the real one. */
export async function openCheckoutGround(
  options: {
    rpc?: Record<number, string>;
    nodesOf?: (rpcUrl: string) => Promise<string>;
    observers?: NodeObservers;
    parts?: OpenApiOptions['parts'];
  } = {},
) {
  const evm = await openEvm();
  const token = (symbol: string, address: Address, rest: object) => ({
    symbol,
    name: symbol,
    decimals: 6,
    address,
    ...rest,
  });
  const chain = {
    chainId: evm.chainId,
    name: 'Local',
    family: 'EVM',
    testnet: true,
    local: true,
    native: { symbol: 'ETH', decimals: 18 },
    escrow: evm.escrow,
    tokens: [
      token('USDC', evm.usdc.address, { permit: domain, receive: domain }),
      // The same coin as if it had no ERC-3009, so that EIP-2612 is taken.
      token('USDP', evm.usdc.address, { permit: domain }),
      token('USDT', evm.usdt.address, { resetsAllowance: true }),
    ],
  };
  const api = await openRestApi({
    rpc: { ...options.rpc, [evm.chainId]: (await options.nodesOf?.(evm.rpcUrl)) ?? evm.rpcUrl },
    ...(options.observers ? { observers: options.observers } : {}),
    ...(options.parts ? { parts: options.parts } : {}),
    chains: [chain],
    environment: {
      OPERATOR_PRIVATE_KEY: evm.operator.privateKey,
      ARBITER_ADDRESS: evm.arbiter.address,
      FEE_RECIPIENT: evm.feeRecipient.address,
      PRICE_TABLE: 'USDC=1,USDP=1,USDT=1,ETH=2500,EUR=1.1',
      [`RELAY_MINIMUM_USD_${evm.chainId}`]: '0.50',
    },
  });
  return { api, evm, ...payingClient(api, evm) };
}

function payingClient(api: RestApi, evm: TestEvm) {
  const openSession = async (input: Record<string, unknown> = {}): Promise<OpenedSession> => {
    const body = input.paymentIntentId ? input : { items: [{ name: 'Tea', amount: '10.00' }], ...input };
    const answer = await api.rest('POST', '/checkout-sessions', { key: api.merchantA.secretKey, body });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body.data;
  };
  const prepare = (session: OpenedSession, input: Record<string, unknown>, call: RestCall = session) =>
    api.rest('POST', `/checkout-sessions/${session.id}/prepare`, {
      ...call,
      body: { chainId: evm.chainId, ...input },
    });
  const confirm = (session: OpenedSession, body: Record<string, unknown> = {}, call: RestCall = session) =>
    api.rest('POST', `/checkout-sessions/${session.id}/confirm`, { ...call, body });
  /** Sends and signs what the steps say, and answers the signatures and the last transaction. */
  const doSteps = async (payer: Payer, steps: PaymentStep[]) => {
    const signatures: Record<string, Hex> = {};
    let txHash: Hex | undefined;
    for (const step of steps) {
      if (step.kind === 'transaction') {
        txHash = await send(payer, { to: step.to, data: step.data, value: BigInt(step.value) });
      } else if (step.kind === 'signTypedData') {
        signatures[step.name] = await signStep(payer, step);
      }
    }
    return { signatures, txHash };
  };
  const send = async (sender: Payer, call: { to: Address; data: Hex; value: bigint }): Promise<Hex> => {
    const hash = await evm.walletFor(sender.privateKey).sendTransaction({ ...call, account: accountOf(sender) });
    const receipt = await evm.publicClient.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`Reverted: ${hash}`);
    return hash;
  };
  /** What the pump would do: the operator sends what is queued for these terms. */
  const relay = async (termsHash: string) => {
    const outgoing = await api.database.outgoingTransaction.findUniqueOrThrow({
      where: { purpose: `authorize:${evm.chainId}:${termsHash}` },
    });
    return await send(evm.operator, { to: hex(outgoing.toAddress), data: hex(outgoing.data), value: 0n });
  };
  const stateOf = (termsHash: string) =>
    readEscrowState({ client: evm.publicClient, escrow: evm.escrow }, { id: hex(termsHash) });
  const termsOf = async (quoteId: string) => {
    const quote = await api.database.quote.findUniqueOrThrow({ where: { id: quoteId } });
    return await api.database.paymentTerms.findUniqueOrThrow({
      where: { chainId_termsHash: { chainId: quote.chainId, termsHash: quote.termsHash } },
    });
  };
  return { openSession, prepare, confirm, doSteps, send, relay, stateOf, termsOf };
}

function hex(text: string): Hex {
  return `0x${text.replace(/^0x/, '')}`;
}
