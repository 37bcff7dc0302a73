/** A gateway that settles x402 payments by `exact`, and payers who sign ERC-3009 authorizations of the local chain's USDC. */
import { Decimal } from 'decimal.js';
import { type Address, type Hex, keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { contractAddress } from '../../../src/chains/chain.ts';
import {
  type SignedAuthorization,
  transferCall,
  transferTypedData,
} from '../../../src/chains/evm/transfer-authorization.ts';
import { usdcTokenAbi } from '../../../src/local/test-tokens.ts';
import type { OwnCall } from '../../../src/payments/x402/exact/accept-exact.ts';
import { hex, purposeOf } from '../../../src/payments/x402/exact/exact-authorization.ts';
import type { OtherServer } from '../../../src/payments/x402/exact/other-server.ts';
import { type ExactSettling, type ExactWorld, settleExact } from '../../../src/payments/x402/exact/settle-exact.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';
import { gatewayFeed } from '../../setup/gateway/gateway-feed.ts';

export type ExactGround = Awaited<ReturnType<typeof openExactGround>>;
export type Signed = Pick<ExactSettling, 'signed' | 'signature'>;

export async function openExactGround(options: Parameters<typeof openGateway>[0] = {}) {
  const gateway = await openGateway({ finalityBlocks: 40, ...options });
  return { gateway, ...(await exactClient(gateway)) };
}

export async function exactClient(gateway: Gateway) {
  const { evm, database } = gateway;
  const [payer] = evm.payers;
  const feed = await gatewayFeed(gateway);
  const token = gateway.registry.token(evm.usdc.key);
  if (!token) throw new Error('The chain has no USDC.');
  const app = await database.app.findUniqueOrThrow({ where: { id: gateway.app.id } });
  const chainTime = async () => (await evm.publicClient.getBlock()).timestamp;

  const sign = async (fields: Partial<SignedAuthorization> = {}): Promise<Signed> => {
    const signed: SignedAuthorization = {
      from: hex(payer.address),
      to: hex(evm.merchant.address),
      value: 10_000n,
      validAfter: 0n,
      validBefore: (await chainTime()) + 120n,
      nonce: keccak256(toHex(newId())),
      ...fields,
    };
    const typedData = transferTypedData(token, signed);
    if (!typedData) throw new Error('USDC has no ERC-3009.');
    return { signed, signature: await privateKeyToAccount(payer.privateKey).signTypedData(typedData) };
  };
  const call: OwnCall = {
    fields: { amount: '0.01', currency: 'USD' },
    exchangeRate: '1',
    evidence: [],
    takenUntil: null,
  };
  const request = (of: Signed, fields: Partial<ExactSettling> = {}): ExactSettling => ({
    ...of,
    token,
    payTo: evm.merchant.address,
    amount: 10_000n,
    app,
    purpose: purposeOf({ resource: 'https://shop.example/weather' }),
    resource: 'https://shop.example/weather',
    identifier: null,
    x402: { resource: 'https://shop.example/weather', scheme: 'exact', network: `eip155:${token.chainId}` },
    by: async () => ({ kind: 'OWN', call }),
    attemptId: null,
    waitMs: 0,
    ...fields,
  });
  const forOther =
    (server: Partial<OtherServer> = {}): ExactSettling['by'] =>
    async () => ({
      kind: 'OTHER',
      server: {
        valueUsd: new Decimal('0.01'),
        feeBps: 50,
        minimumUsd: new Decimal(0),
        paymentLimitUsd: new Decimal(1),
        dailyLimitUsd: new Decimal(10),
        ...server,
      },
    });
  const send = async (from: { privateKey: Hex }, call: { to: Address; data: Hex }): Promise<Hex> => {
    const hash = await evm.walletFor(from.privateKey).sendTransaction(call);
    await evm.publicClient.waitForTransactionReceipt({ hash });
    return hash;
  };
  return {
    token,
    app,
    payer,
    chainTime,
    sign,
    request,
    forOther,
    feed,
    settle: (of: Signed, fields: Partial<ExactSettling> = {}, world: Partial<ExactWorld> = {}) =>
      settleExact({ ...gateway.action, feed, ...world }, request(of, fields)),
    /** Somebody else sends the authorization to the token. */
    frontRun: ({ signed, signature }: Signed) =>
      send(evm.payers[1], transferCall(contractAddress(token), signed, signature)),
    /** The payer cancels it at the token. */
    cancel: async ({ signed }: Signed): Promise<Hex> => {
      const { name, version } = token.receive ?? { name: '', version: '' };
      const signature = await privateKeyToAccount(payer.privateKey).signTypedData({
        domain: { name, version, chainId: token.chainId, verifyingContract: contractAddress(token) },
        types: {
          CancelAuthorization: [
            { name: 'authorizer', type: 'address' },
            { name: 'nonce', type: 'bytes32' },
          ],
        },
        primaryType: 'CancelAuthorization',
        message: { authorizer: signed.from, nonce: signed.nonce },
      });
      const hash = await evm.walletFor(evm.payers[1].privateKey).writeContract({
        address: contractAddress(token),
        abi: usdcTokenAbi,
        functionName: 'cancelAuthorization',
        args: [signed.from, signed.nonce, signature],
      });
      await evm.publicClient.waitForTransactionReceipt({ hash });
      return hash;
    },
    row: ({ signed }: Signed) =>
      database.exactAuthorization.findFirstOrThrow({ where: { payer: signed.from, nonce: signed.nonce } }),
    /** The intent's entries in the ledger, as "ACCOUNT KIND amount". */
    books: async (paymentIntentId: string) => {
      const entries = await database.ledgerEntry.findMany({ where: { paymentIntentId }, orderBy: { id: 'asc' } });
      return entries.map(({ account, kind, amount }) => `${account} ${kind} ${amount.toFixed()}`);
    },
    /** The transfers in the queue for an authorization, oldest first. */
    queue: async (of: Signed) => {
      const { id } = await database.exactAuthorization.findFirstOrThrow({ where: { nonce: of.signed.nonce } });
      const rows = await database.outgoingTransaction.findMany({
        where: { purpose: { startsWith: `exact:${id}:` } },
        orderBy: { id: 'asc' },
      });
      return rows.map(({ status }) => status);
    },
  };
}
