import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  type Hex,
  http,
  keccak256,
  maxUint256,
  type PublicClient,
  parseSignature,
  publicActions,
  stringToHex,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  walletActions,
} from 'viem';
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import {
  chargeIntentId,
  chargeTypedData,
  consentHash,
  consentTypedData,
  type RecurringConsent,
} from '../../src/escrow/consent.ts';
import { deployBatch, deployEscrow } from '../../src/escrow/deploy-escrow.ts';
import { disputeTypedData } from '../../src/escrow/dispute-request.ts';
import { escrowAddress } from '../../src/escrow/escrow-bytecode.ts';
import { type PaymentTerms, termsHash, termsTypedData } from '../../src/escrow/terms.ts';
import { usdcTokenAbi, usdcTokenCreationCode } from '../../src/local/test-tokens.ts';
import { foundryBinary } from './foundry-binary.ts';

/** A local chain of one run, with the escrow, the USDC test coin and one account for each party. */

export type Terms = PaymentTerms;
type Consent = RecurringConsent;
export type Account = ReturnType<typeof privateKeyToAccount>;
export type Bench = Awaited<ReturnType<typeof openBench>>;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No free port.');
  return address.port;
}

function startChain(port: number): ChildProcess {
  // A fixed start and mnemonic: calldata with other zero bytes would cost other gas.
  const options = ['--port', String(port), '--silent', '--timestamp', '1800000000', '--hardfork', 'prague'];
  return spawn(foundryBinary('anvil'), options, { stdio: 'ignore' });
}

function connect(port: number) {
  const account = mnemonicToAccount('test test test test test test test test test test test junk');
  return createTestClient({
    mode: 'anvil',
    account,
    transport: http(`http://127.0.0.1:${port}`),
    pollingInterval: 5,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);
}

/** `othersHold`: base units of the coin that other payments hold in the escrow meanwhile. */
export async function openBench({ othersHold }: { othersHold: bigint }) {
  const port = await freePort();
  const chain = startChain(port);
  const client = connect(port);
  for (let tries = 0; ; tries += 1) {
    const up = await client.getChainId().catch(() => undefined);
    if (up !== undefined) break;
    if (tries > 200) throw new Error('The local chain does not start.');
    await delay(50);
  }
  await client.setBlockTimestampInterval({ interval: 1 });
  const transport = http(`http://127.0.0.1:${port}`);
  const deployers = {
    publicClient: createPublicClient({ transport, pollingInterval: 5 }),
    walletClient: createWalletClient({ transport, account: client.account }),
  };
  await deployEscrow(deployers);
  await deployBatch(deployers);
  const deployment = await client.sendTransaction({ data: usdcTokenCreationCode, chain: null });
  const token = (await mined(client, deployment)).contractAddress;
  if (!token) throw new Error('The coin was not deployed.');

  const person = (name: string): Account => privateKeyToAccount(keccak256(stringToHex(name)));
  const people = {
    payer: person('payer'),
    merchant: person('merchant'),
    operator: person('operator'),
    arbiter: person('arbiter'),
    relayer: person('relayer'),
    feeRecipient: person('fee'),
  };
  // Everybody already holds coin of both kinds, as on a gateway at work: first-time balances cost 17,100 more each.
  for (const { address } of Object.values(people)) {
    await client.setBalance({ address, value: 10n ** 21n });
    await client.writeContract({
      chain: null,
      address: token,
      abi: usdcTokenAbi,
      functionName: 'mint',
      args: [address, 10n ** 12n],
    });
  }
  await client.writeContract({
    chain: null,
    address: token,
    abi: usdcTokenAbi,
    functionName: 'mint',
    args: [escrowAddress, othersHold],
  });
  await client.setBalance({ address: escrowAddress, value: othersHold });
  return { client, token, people, stop: () => chain.kill() };
}

/** Polls until the receipt is there: the node announces a block before it serves the block's receipts, and mines no other. */
export async function mined(
  client: Pick<PublicClient, 'getTransactionReceipt'>,
  hash: Hex,
): Promise<TransactionReceipt> {
  for (let tries = 0; tries < 6_000; tries += 1) {
    const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return undefined;
      throw error;
    });
    if (receipt !== undefined) return receipt;
    await delay(10);
  }
  throw new Error(`The transaction ${hash} is in no block.`);
}

/** Sends a transaction and returns its receipt; throws if it reverts. */
export async function send(
  { client }: Pick<Bench, 'client'>,
  call: { from: Account; to: Hex; data: Hex; value?: bigint; gas?: bigint | undefined },
): Promise<TransactionReceipt> {
  const { from, to, data, value = 0n, gas } = call;
  const hash = await client.sendTransaction({ chain: null, account: from, to, data, value, gas });
  const receipt = await mined(client, hash);
  if (receipt.status !== 'success') throw new Error(`The transaction ${hash} reverted.`);
  return receipt;
}

let serial = 0;

/** Terms of a payment of 25 coins with a fee of 1 %, a 7 day timelock and a 3 day dispute window. */
export async function newTerms({ client, token, people }: Bench, changes: Partial<Terms> = {}): Promise<Terms> {
  serial += 1;
  const now = Number((await client.getBlock()).timestamp);
  return {
    intentId: keccak256(stringToHex(`intent ${serial}`)),
    payer: people.payer.address,
    merchant: people.merchant.address,
    token,
    amount: 25_000_000n,
    authorizeBy: now + 1_800,
    captureBy: now + 7 * 86_400,
    timelock: 7 * 86_400,
    disputeWindow: 3 * 86_400,
    disputeTimeout: 30 * 86_400,
    timeoutPayerBps: 5_000,
    feeBps: 100,
    feeRecipient: people.feeRecipient.address,
    operator: people.operator.address,
    arbiter: people.arbiter.address,
    quoteHash: keccak256(stringToHex(`quote ${serial}`)),
    captureOnAuthorize: true,
    ...changes,
  };
}

const place = { chainId: 31_337, escrow: escrowAddress };

/** What is signed is the digest over the terms' id, as a wallet shows it. */
export function signTerms(signer: Account, terms: Terms): Promise<Hex> {
  return signer.signTypedData(termsTypedData({ ...place, terms }));
}

export function signDispute(signer: Account, terms: Terms): Promise<Hex> {
  return signer.signTypedData(disputeTypedData({ ...place, id: termsHash(terms) }));
}

function signConsent(signer: Account, consent: Consent): Promise<Hex> {
  return signer.signTypedData(consentTypedData({ ...place, consent }));
}

/** Terms and both signatures of the charge of one period. */
export async function newCharge(bench: Bench, { consent, period }: { consent: Consent; period: number }) {
  const consentId = consentHash(consent);
  const terms = await newTerms(bench, { intentId: chargeIntentId(consentId, period) });
  const { operator, payer } = bench.people;
  const charge = chargeTypedData({ ...place, consentId, period, id: termsHash(terms) });
  return {
    terms,
    operatorSignature: await operator.signTypedData(charge),
    consentSignature: await signConsent(payer, consent),
  };
}

export async function signPermit({ client, token, people }: Bench, value: bigint) {
  const nonce = await client.readContract({
    address: token,
    abi: usdcTokenAbi,
    functionName: 'nonces',
    args: [people.payer.address],
  });
  const types = {
    Permit: [
      { name: 'owner', type: 'address' },
      { name: 'spender', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'nonce', type: 'uint256' },
      { name: 'deadline', type: 'uint256' },
    ],
  } as const;
  const signature = await people.payer.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: 31_337, verifyingContract: token },
    types,
    primaryType: 'Permit',
    message: { owner: people.payer.address, spender: escrowAddress, value, nonce, deadline: maxUint256 },
  });
  const { r, s, yParity } = parseSignature(signature);
  return { deadline: maxUint256, v: yParity + 27, r, s };
}

export async function signReceive(
  { token, people }: Bench,
  { nonce, value, validBefore }: { nonce: Hex; value: bigint; validBefore: bigint },
): Promise<Hex> {
  const types = {
    ReceiveWithAuthorization: [
      { name: 'from', type: 'address' },
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'validAfter', type: 'uint256' },
      { name: 'validBefore', type: 'uint256' },
      { name: 'nonce', type: 'bytes32' },
    ],
  } as const;
  return await people.payer.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: 31_337, verifyingContract: token },
    types,
    primaryType: 'ReceiveWithAuthorization',
    message: { from: people.payer.address, to: escrowAddress, value, validAfter: 0n, validBefore, nonce },
  });
}

/** Mines a block `seconds` later. */
export async function pass({ client }: Bench, seconds: number): Promise<void> {
  const { timestamp } = await client.getBlock();
  await client.setNextBlockTimestamp({ timestamp: timestamp + BigInt(seconds) });
  await client.mine({ blocks: 1 });
}

/** A consent to a charge like these terms each month, with the terms' intent id as its own reference. */
export function consentOf(terms: Terms): Consent {
  return {
    subscriptionId: terms.intentId,
    payer: terms.payer,
    merchant: terms.merchant,
    token: terms.token,
    capPerPeriod: terms.amount,
    start: terms.authorizeBy - 1_800,
    unit: 1,
    count: 1,
    end: 0,
    feeBps: terms.feeBps,
    feeRecipient: terms.feeRecipient,
    operator: terms.operator,
    arbiter: terms.arbiter,
    timelock: terms.timelock,
    disputeWindow: terms.disputeWindow,
    disputeTimeout: terms.disputeTimeout,
    timeoutPayerBps: terms.timeoutPayerBps,
  };
}
