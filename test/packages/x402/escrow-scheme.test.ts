/** What a buyer checks before it signs an escrow payment. The hash must be the gateway's and the contract's. */
import { type Hex, recoverTypedDataAddress, zeroAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { EscrowEvmScheme, SLUICE_ESCROW } from '../../../packages/x402/src/client/index.ts';
import { escrowAddress } from '../../../src/escrow/escrow-bytecode.ts';
import { termsFromJson, termsHash } from '../../../src/escrow/terms.ts';
import { localAccounts } from '../../../src/local/local-accounts.ts';

const { payers, merchant, operator, arbiter, feeRecipient } = localAccounts;
const signer = privateKeyToAccount(payers[0].privateKey);
const token = '0x1111111111111111111111111111111111111111';
const now = 1_800_000_000;
const terms = {
  intentId: `0x${'1'.repeat(64)}`,
  merchant: merchant.address,
  token,
  amount: '10000',
  authorizeBy: `${now + 120}`,
  captureBy: `${now + 86_400}`,
  timelock: '604800',
  disputeWindow: '86400',
  disputeTimeout: '2592000',
  timeoutPayerBps: '10000',
  feeBps: '100',
  feeRecipient: feeRecipient.address,
  operator: operator.address,
  arbiter: arbiter.address,
  quoteHash: `0x${'2'.repeat(64)}`,
  captureOnAuthorize: true,
};
type Change = {
  terms?: Record<string, unknown>;
  extra?: Record<string, unknown>;
  requirement?: Record<string, unknown>;
};

const requirementsWith = (change: Change = {}) => ({
  scheme: 'escrow',
  network: 'eip155:31337' as const,
  asset: token,
  amount: '10000',
  payTo: SLUICE_ESCROW,
  maxTimeoutSeconds: 60,
  extra: {
    escrow: SLUICE_ESCROW,
    terms: { ...terms, ...change.terms },
    domain: { name: 'Sluice', version: '2', chainId: 31337, verifyingContract: SLUICE_ESCROW },
    tokenName: 'USD Coin',
    tokenVersion: '2',
    ...change.extra,
  },
  ...change.requirement,
});
const create = (change?: Change, options: object = {}) =>
  new EscrowEvmScheme(signer, { now: () => now * 1000, ...options }).createPaymentPayload(2, requirementsWith(change));

it('allows the escrow contract of this edition by default', () => {
  expect(SLUICE_ESCROW).toBe(escrowAddress);
});

it('signs a token transfer to the escrow, with the hash of the complete terms as nonce', async () => {
  const { payload } = await create();
  const { authorization, signature, intentId } = payload as {
    authorization: Record<string, string>;
    signature: Hex;
    intentId: Hex;
  };
  const complete = termsFromJson({ ...terms, payer: signer.address, intentId });
  expect(authorization).toEqual({
    ...{ from: signer.address, to: SLUICE_ESCROW, value: '10000', validAfter: '0', validBefore: `${now + 60}` },
    nonce: termsHash(complete),
  });
  const by = await recoverTypedDataAddress({
    domain: { name: 'USD Coin', version: '2', chainId: 31337, verifyingContract: token },
    types: {
      ReceiveWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'ReceiveWithAuthorization',
    message: { ...authorization, value: 10_000n, validAfter: 0n, validBefore: BigInt(now + 60) } as never,
    signature,
  });
  expect(by).toBe(signer.address);
});

it('pays one offer twice with two nonces, and never after the end of the offer', async () => {
  const late = { terms: { authorizeBy: `${now + 20}` } };
  const [one, other] = await Promise.all([create(late), create(late)]);
  const read = (made: typeof one) => made.payload.authorization as Record<string, string>;
  expect(read(one).nonce).not.toBe(read(other).nonce);
  expect(read(one).validBefore).toBe(`${now + 20}`);
});

describe('the escrow scheme rejects', () => {
  const other = '0x2222222222222222222222222222222222222222';
  it.each<[string, string, Change, object?]>([
    ['an unknown escrow', 'escrow', { extra: { escrow: other }, requirement: { payTo: other } }],
    ['another receiver of the tokens', 'payTo', { requirement: { payTo: other } }],
    ['another chain', 'domain', { requirement: { network: 'eip155:1' } }],
    ['a domain of another contract', 'domain', { extra: { domain: { chainId: 31337, verifyingContract: other } } }],
    ['another amount', 'amount', { terms: { amount: '10001' } }],
    ['another token', 'token', { terms: { token: other } }],
    ['a payer in the offer', 'payer', { terms: { payer: other } }],
    ['an unknown field', 'extra', { terms: { extra: '1' } }],
    ['a receiver that is not allowed', 'merchant', {}, { receivers: [other] }],
    ['the buyer as receiver', 'merchant', { terms: { merchant: signer.address } }],
    ['an arbiter that is not allowed', 'arbiter', {}, { arbiters: [other] }],
    ['the merchant as arbiter', 'arbiter', { terms: { arbiter: merchant.address } }],
    ['a dispute window without an arbiter', 'arbiter', { terms: { arbiter: zeroAddress } }],
    ['a dispute window that is too short', 'disputeWindow', {}, { minDisputeWindowSeconds: 86_401 }],
    ['an offer that has expired', 'authorizeBy', { terms: { authorizeBy: `${now}` } }],
    ['an offer that ends too late', 'authorizeBy', { terms: { authorizeBy: `${now + 7_200}` } }],
    ['a hold that is too long', 'captureBy', { terms: { captureBy: `${now + 91 * 86_400}` } }],
    ['a timelock that is too long', 'timelock', { terms: { timelock: `${181 * 86_400}` } }],
    ['a fee that is too high', 'feeBps', { terms: { feeBps: '1001' } }],
    ['a token without a name', 'tokenName', { extra: { tokenName: null } }],
  ])('%s', async (_, field, change, options) => {
    await expect(create(change, options)).rejects.toMatchObject({ name: 'EscrowTermsError', field });
  });
});
