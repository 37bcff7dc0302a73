import { maxUint256 } from 'viem';
import { z } from 'zod';
import { approveData } from '../../src/chains/evm/erc20.ts';
import { followPayment } from '../../src/local/demo/follow-payment.ts';
import { openGatewayClient } from '../../src/local/demo/gateway-client.ts';
import { openPayerWallet, type PayerWallet, stepSchema } from '../../src/local/demo/payer-wallet.ts';
import type { Demo } from '../../src/local/demo-file.ts';
import type { Observations } from './observations.ts';

/** A wallet on one chain that pays one intent at a time, so that its nonces and its permits for a token are in order. */
export type PayerLane = {
  /** Resolves when the payment is on chain. The settlement continues in the background, and `atRest` waits for it. */
  pay(app: Demo, method: 'DIRECT' | 'PERMIT'): Promise<PaidIntent | undefined>;
  atRest(): Promise<void>;
};

export type PaidIntent = { id: string; sessionId: string; clientSecret: string };

const LIMIT_MS = 120_000;

const withId = z.object({ id: z.string() });
const sessionSchema = z.object({ id: z.string(), clientSecret: z.string() });
const preparedSchema = z.object({ quote: z.object({ id: z.string() }), steps: z.array(stepSchema) });

export async function openPayerLane(
  { demo, observations }: { demo: Demo; observations: Observations },
  { chain, payer }: { chain: Demo['chains'][number]; payer: Demo['payers'][number] },
): Promise<PayerLane> {
  const wallet = openPayerWallet(chain, payer.privateKey);
  const [token] = chain.tokens;
  if (!token) throw new Error(`Chain ${chain.chainId} has no token.`);
  await approveOnce(wallet, { token: token.address, escrow: chain.escrow });
  const gateway = (app: Demo) => openGatewayClient({ ...demo, ...app }, LIMIT_MS);
  const settling = new Set<Promise<unknown>>();

  const pay: PayerLane['pay'] = async (app, method) => {
    const { timed } = observations;
    const client = gateway(app);
    const body = { amount: '1.00', currency: 'USD', metadata: { soak: method } };
    const intent = await timed('create intent', () =>
      client.call(withId, { method: 'POST', path: '/payments/intents', body }),
    );
    if (!intent) return undefined;
    const session = await timed('create checkout session', () =>
      client.call(sessionSchema, { method: 'POST', path: '/checkout-sessions', body: { paymentIntentId: intent.id } }),
    );
    if (!session) return undefined;
    const path = `/checkout-sessions/${session.id}`;
    const way = { chainId: chain.chainId, tokenKey: token.key, walletAddress: wallet.address, method };
    const prepared = await timed('prepare payment', () =>
      client.call(preparedSchema, { method: 'POST', path: `${path}/prepare`, body: way }),
    );
    if (!prepared) return undefined;
    const followed = followPayment(app, { id: intent.id, onUpdate: () => undefined });
    const authorized = await timed(`${method}: paid → authorized`, async () => {
      const proof = await doSteps(wallet, prepared.steps);
      const confirmation = { quoteId: prepared.quote.id, ...proof };
      await client.call(withId, { method: 'POST', path: `${path}/confirm`, body: confirmation });
      return await followed.until(({ status }) => status !== 'CREATED', LIMIT_MS);
    });
    const settled = authorized
      ? timed('authorized → settled', () => followed.until(({ status }) => status === 'SETTLED', LIMIT_MS))
      : Promise.resolve();
    const rest = settled.then(() => followed.stop()).finally(() => settling.delete(rest));
    settling.add(rest);
    return authorized ? { id: intent.id, sessionId: session.id, clientSecret: session.clientSecret } : undefined;
  };
  return {
    pay,
    async atRest() {
      await Promise.all(settling);
    },
  };
}

async function approveOnce(wallet: PayerWallet, request: { token: string; escrow: string }): Promise<void> {
  const step = { kind: 'transaction', description: 'Allow the escrow to take any amount.', value: '0' } as const;
  const [to, escrow] = [request.token, request.escrow].map((text) => `0x${text.replace(/^0x/, '')}` as const);
  if (!to || !escrow) throw new Error('There is no token or no escrow.');
  await wallet.send({ ...step, to, data: approveData(escrow, maxUint256) });
}

async function doSteps(wallet: PayerWallet, steps: z.infer<typeof preparedSchema>['steps']) {
  const signatures: Record<string, string> = {};
  let txHash: string | undefined;
  for (const step of steps) {
    if (step.kind === 'signTypedData') signatures[step.name] = await wallet.sign(step);
    else txHash = (await wallet.send(step)).txHash;
  }
  return txHash === undefined ? { signatures } : { txHash };
}
