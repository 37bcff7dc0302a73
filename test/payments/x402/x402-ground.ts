/** A facilitator over a gateway whose steps the test triggers, and payers of its offers. */
import { type Hex, hashTypedData, keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { transferTypedData } from '../../../src/chains/evm/transfer-authorization.ts';
import { openSolanaNodes } from '../../../src/chains/solana/open-solana-nodes.ts';
import { createRequirements, type NewRequirements } from '../../../src/payments/x402/create-requirements.ts';
import { hex } from '../../../src/payments/x402/exact/exact-authorization.ts';
import { settleX402Payment } from '../../../src/payments/x402/settle-x402-payment.ts';
import { verifyX402Payment } from '../../../src/payments/x402/verify-x402-payment.ts';
import type { Offer } from '../../../src/payments/x402/x402-types.ts';
import type { X402World } from '../../../src/payments/x402/x402-world.ts';
import { newId } from '../../../src/platform/identifier.ts';
import type { Gateway } from '../../setup/gateway/gateway.ts';
import { gatewayFeed } from '../../setup/gateway/gateway-feed.ts';
import { settleAtWork } from './settle-at-work.ts';
import { payOffer } from './sign-escrow.ts';

export type X402Ground = Awaited<ReturnType<typeof openX402Ground>>;
type Payer = { address: Hex; privateKey: Hex };
type SignHash = (request: { hash: Hex }) => Promise<Hex>;

export const RESOURCE = 'https://api.example/weather';

export async function openX402Ground(gateway: Gateway) {
  const { action, evm, database, app } = gateway;
  const scope = { merchantId: gateway.scope.merchantId, appId: app.id };
  const { address } = evm.merchant;
  await database.payoutAddress.upsert({
    where: { appId_family: { appId: scope.appId, family: 'EVM' } },
    create: { appId: scope.appId, family: 'EVM', address },
    update: { address },
  });
  const world: X402World = {
    ...action,
    feed: await gatewayFeed(gateway),
    senderAddresses: [],
    solanaNodes: openSolanaNodes({ registry: action.registry, rpc: [] }),
    config: {
      ...action.config,
      quoteSeconds: 600,
      feeRecipient: evm.feeRecipient.address,
      arbiter: { privateKey: undefined, address: evm.arbiter.address },
      solana: { vaultSecret: undefined, operatorKey: undefined, feeRecipient: undefined, custodialMainnet: false },
    },
  };
  const settle = (input: object) => settleX402Payment(world, { scope, input });

  return {
    world,
    scope,
    offer: async (scheme: 'exact' | 'escrow', fields: Partial<NewRequirements> = {}): Promise<Offer> => {
      const input = {
        price: '10.00',
        resource: { url: RESOURCE },
        schemes: [scheme],
        maxTimeoutSeconds: 30,
        ...fields,
      };
      const [first] = (await createRequirements(world, { scope, input })).accepts;
      if (!first) throw new Error('Nothing is offered.');
      return first;
    },
    /** What a resource server asks of the facilitator for a payment of the offer. */
    pay: async (payer: Payer, offer: Offer, sign?: SignHash): Promise<object> =>
      offer.scheme === 'exact'
        ? await payExact(gateway, { payer, offer, sign })
        : (await payOffer(payer, offer, { sign })).body,
    verify: (input: object) => verifyX402Payment(world, { scope, input }),
    settle,
    settleAtWork: async (input: object) => {
      const [answer] = await settleAtWork(gateway, settle, [input]);
      if (!answer) throw new Error('There is no answer.');
      return answer;
    },
    settleTogether: (inputs: readonly [object, ...object[]]) => settleAtWork(gateway, settle, inputs),
  };
}

async function payExact(
  { registry, evm }: Gateway,
  { payer, offer, sign }: { payer: Payer; offer: Offer; sign: SignHash | undefined },
): Promise<object> {
  const token = registry
    .enabled()
    .flatMap(({ tokens }) => tokens)
    .find(({ address }) => address === offer.asset);
  if (!token) throw new Error(`Unknown token ${offer.asset}.`);
  const { timestamp } = await evm.publicClient.getBlock();
  const signed = {
    from: payer.address,
    to: hex(offer.payTo),
    value: BigInt(offer.amount),
    validAfter: 0n,
    validBefore: timestamp + 600n,
    nonce: keccak256(toHex(newId())),
  };
  const typedData = transferTypedData(token, signed);
  if (!typedData) throw new Error('The token has no ERC-3009.');
  const signature = sign
    ? await sign({ hash: hashTypedData(typedData) })
    : await privateKeyToAccount(payer.privateKey).signTypedData(typedData);
  const authorization = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name, String(value)]));
  const paymentPayload = { x402Version: 2, accepted: offer, payload: { authorization, signature } };
  return { x402Version: 2, paymentPayload, paymentRequirements: offer };
}
