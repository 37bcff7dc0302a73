/** Payments in the state in which the projector leaves them, for tests of merchants' operations on them. No chain is queried. */
import { privateKeyToAccount } from 'viem/accounts';
import type { PaymentIntent, PaymentIntentStatus } from '../../../prisma/client.ts';
import { type PaymentTerms, termsHash, termsToJson, uuidToBytes32 } from '../../../src/escrow/terms.ts';
import { newId } from '../../../src/platform/identifier.ts';
import type { TestApi } from '../api/api.ts';

const chainId = 31337;
export const payer = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');
export const arbiterKey = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a';
export const arbiter = privateKeyToAccount(arbiterKey);

/** The settings of an API for such payments: a node that is never called, and the arbiter's key. */
export const paymentEnvironment = {
  rpc: { [chainId]: 'http://127.0.0.1:9' },
  environment: { ARBITER_PRIVATE_KEY: arbiterKey },
};

/** An intent of `appId`, with ten units of its token in escrow if its status implies an escrow. */
export async function paymentIn(
  api: Pick<TestApi, 'database' | 'world'>,
  { appId, status }: { appId: string; status: PaymentIntentStatus },
): Promise<PaymentIntent & { termsHash: `0x${string}` }> {
  const id = newId();
  const now = Math.floor(Date.now() / 1000);
  const terms: PaymentTerms = {
    intentId: uuidToBytes32(id),
    payer: payer.address,
    merchant: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    token: '0x1000000000000000000000000000000000000001',
    amount: 10n,
    authorizeBy: now + 600,
    captureBy: now + 7200,
    timelock: 1000,
    disputeWindow: 1000,
    disputeTimeout: 700_000,
    timeoutPayerBps: 10_000,
    feeBps: 100,
    feeRecipient: payer.address,
    operator: api.world.operator.address,
    arbiter: arbiter.address,
    quoteHash: uuidToBytes32(id),
    captureOnAuthorize: status !== 'AUTHORIZED',
  };
  const hash = termsHash(terms);
  const isHeld = status !== 'CREATED';
  const intent = await api.database.paymentIntent.create({
    data: {
      id,
      appId,
      amount: '10.00',
      currency: 'USD',
      captureMode: 'MANUAL',
      status,
      timelockDuration: 1000,
      disputeStartDuration: 1000,
      platformFeeBps: 100,
      terms: {
        create: {
          termsHash: hash,
          chainId,
          tokenKey: 'USDC-31337',
          method: 'DIRECT',
          terms: termsToJson(terms),
          operatorSignature: '0x',
          exchangeRate: '1',
          authorizeBy: new Date(terms.authorizeBy * 1000),
        },
      },
      ...(isHeld ? { acceptedTermsHash: hash, leftAmount: '10', authorizationChainId: chainId } : {}),
      ...(status === 'CAPTURED' ? { capturedAt: new Date(), timelockEndsAt: new Date(Date.now() + 1e6) } : {}),
    },
  });
  return { ...intent, termsHash: hash };
}
