/**
 * A gateway of the stock parts of x402: `exact` is verified and settled by the facilitator of `@x402/evm` on a local chain, behind the routes
 * that Sluice has. Tests switch its faults on and count its calls.
 */

import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { parseUnits } from 'viem';
import type { TestEvm } from '../../setup/chains/evm.ts';
import { onTeardown } from '../../setup/teardown.ts';

export type StockGateway = {
  url: string;
  calls: Record<string, number>;
  /** The current fault of the gateway. */
  fault: 'none' | 'away' | 'no offers' | 'pending' | 'settle lost' | 'every settle lost' | 'settle limited' | 'refused';
  /** A settlement that was lost is followed by refusals. */
  refusesAfterLoss: boolean;
  offerMs: number;
  verified: PaymentPayload[];
  /** The identifiers of the requested settlements. */
  attempts: string[];
  /** Responses to settlements wait for it. */
  delay: Promise<void>;
  /** Paths of the calls that had a response. */
  answered: string[];
};

export const secretKey = 'sk_test_stock';

export async function openStockGateway(evm: TestEvm): Promise<StockGateway> {
  const facilitator = facilitatorOf(evm);
  const outcomes = new Map<string, Promise<SettleResponse>>();
  const reported = new Map<string, unknown>();
  // Its only wallet sends transactions one after the other.
  let before: Promise<unknown> = Promise.resolve();
  const gateway: StockGateway = {
    url: '',
    calls: {},
    fault: 'none',
    refusesAfterLoss: false,
    offerMs: 60_000,
    verified: [],
    attempts: [],
    delay: Promise.resolve(),
    answered: [],
  };

  async function answer(path: string, body: Record<string, unknown>): Promise<unknown> {
    if (path === '/x402/requirements') return requirementsFor(evm, body, gateway.offerMs);
    const payment = body.paymentPayload as PaymentPayload;
    if (quoteOf(payment.accepted) !== payment.accepted.extra.quote) {
      return path.endsWith('verify')
        ? { isValid: false, invalidReason: 'invalid_quote', payer: null }
        : { success: false, errorReason: 'invalid_quote', transaction: '', network: payment.accepted.network };
    }
    if (path === '/x402/verify') {
      gateway.verified.push(payment);
      return await facilitator.verify(payment, payment.accepted);
    }
    gateway.attempts.push(String(body.attemptId));
    if (gateway.fault === 'refused') {
      const { network } = payment.accepted;
      return { success: false, errorReason: 'insufficient_balance', transaction: '', network, paymentIntentId: null };
    }
    const key = JSON.stringify(payment.payload);
    const outcome = outcomes.get(key) ?? before.then(() => facilitator.settle(payment, payment.accepted));
    outcomes.set(key, outcome);
    before = outcome.catch(() => undefined);
    const settled = await outcome;
    if (gateway.fault === 'pending') {
      return {
        success: false,
        errorReason: 'settlement_pending',
        transaction: '',
        network: settled.network,
        retryable: true,
      };
    }
    const replayed = settled.success && reported.has(key) && reported.get(key) !== body.attemptId;
    if (!replayed) reported.set(key, body.attemptId);
    return { ...settled, replayed, retryable: false, paymentIntentId: 'stock' };
  }

  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    gateway.calls[path] = (gateway.calls[path] ?? 0) + 1;
    if (gateway.fault === 'away') return void response.destroy();
    if (request.headers['x-api-key'] !== secretKey) {
      response.writeHead(401).end('{"success":false,"error":{"code":"AUTHENTICATION_ERROR","message":"no"}}');
      return;
    }
    if (gateway.fault === 'no offers' && path === '/x402/requirements') {
      response.writeHead(503).end('{"success":false,"error":{"code":"CHAIN_PAUSED","message":"paused"}}');
      return;
    }
    if (gateway.fault === 'settle limited' && path === '/x402/settle') {
      gateway.fault = 'none';
      response.writeHead(429).end('{"success":false,"error":{"code":"RATE_LIMITED","message":"slower"}}');
      return;
    }
    let text = '';
    for await (const chunk of request) text += chunk;
    const answered = await answer(path, JSON.parse(text));
    if (path === '/x402/settle') await gateway.delay;
    if (gateway.fault.endsWith('settle lost') && path === '/x402/settle') {
      if (gateway.fault === 'settle lost') gateway.fault = gateway.refusesAfterLoss ? 'refused' : 'none';
      return void response.destroy();
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answered));
    gateway.answered.push(path);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTeardown(async () => {
    server.closeAllConnections();
    server.close();
  });
  gateway.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return gateway;
}

function facilitatorOf(evm: TestEvm) {
  const wallet = evm.walletFor(evm.operator.privateKey);
  const signer = toFacilitatorEvmSigner({
    address: wallet.account.address,
    readContract: (args) => evm.publicClient.readContract(args as never),
    verifyTypedData: (args) => evm.publicClient.verifyTypedData(args as never),
    writeContract: (args) => wallet.writeContract(args as never),
    sendTransaction: (args) => wallet.sendTransaction(args as never),
    waitForTransactionReceipt: (args) => evm.publicClient.waitForTransactionReceipt(args),
    getCode: (args) => evm.publicClient.getCode(args),
  });
  return new x402Facilitator().register(`eip155:${evm.chainId}`, new ExactEvmScheme(signer));
}

function requirementsFor(evm: TestEvm, body: Record<string, unknown>, offerMs: number) {
  const {
    price,
    currency,
    resource,
    maxTimeoutSeconds = 60,
  } = body as {
    price: string;
    currency: string;
    resource: { url: string };
    maxTimeoutSeconds?: number;
  };
  const expiresAt = new Date(Date.now() + offerMs).toISOString();
  const claims = { price, currency, resource: resource.url, expiresAt };
  const requirement: PaymentRequirements = {
    scheme: 'exact',
    network: `eip155:${evm.chainId}`,
    asset: evm.usdc.address,
    amount: parseUnits(price, 6).toString(),
    payTo: evm.merchant.address,
    maxTimeoutSeconds,
    extra: {
      name: 'USD Coin',
      version: '2',
      refundable: false,
      claims: Buffer.from(JSON.stringify(claims)).toString('base64url'),
    },
  };
  const quote = quoteOf(requirement);
  return { accepts: [{ ...requirement, extra: { ...requirement.extra, quote } }], expiresAt };
}

function quoteOf(requirement: PaymentRequirements): string {
  const { quote: _, requestId: __, ...extra } = requirement.extra;
  const sealed = JSON.stringify([requirement.network, requirement.amount, requirement.asset, requirement.payTo, extra]);
  return `${extra.claims}.${createHmac('sha256', 'stock').update(sealed).digest('base64url')}`;
}
