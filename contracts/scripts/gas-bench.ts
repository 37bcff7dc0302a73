import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type ContractFunctionArgs,
  createPublicClient,
  createTestClient,
  createWalletClient,
  type Hex,
  hashTypedData,
  http,
  keccak256,
  maxUint256,
  parseSignature,
  publicActions,
  stringToHex,
  walletActions,
} from 'viem';
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import { deployBatch, deployEscrow } from '../../src/escrow/deploy-escrow.ts';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { escrowAddress } from '../../src/escrow/escrow-bytecode.ts';
import { usdcTokenAbi, usdcTokenCreationCode } from '../../src/local/test-tokens.ts';
import { foundryBinary } from './foundry-binary.ts';

/** A local chain of one run, with the escrow, the USDC test coin and one account for each party. */

export type Terms = ContractFunctionArgs<typeof escrowAbi, 'pure', 'idOf'>[0];
type Consent = ContractFunctionArgs<typeof escrowAbi, 'pure', 'consentIdOf'>[0];
type Account = ReturnType<typeof privateKeyToAccount>;
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
  const token = (await client.waitForTransactionReceipt({ hash: deployment })).contractAddress;
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

export async function idOf({ client }: Bench, terms: Terms): Promise<Hex> {
  return await client.readContract({ address: escrowAddress, abi: escrowAbi, functionName: 'idOf', args: [terms] });
}

/** The id is the EIP-712 digest: signing it is signing the terms. */
export async function signTerms(bench: Bench, signer: Account, terms: Terms): Promise<Hex> {
  return await signer.sign({ hash: await idOf(bench, terms) });
}

const escrowDomain = { name: 'Sluice', version: '2', chainId: 31_337, verifyingContract: escrowAddress } as const;

export async function signDispute(signer: Account, id: Hex): Promise<Hex> {
  const types = { Dispute: [{ name: 'id', type: 'bytes32' }] } as const;
  return await signer.signTypedData({ domain: escrowDomain, types, primaryType: 'Dispute', message: { id } });
}

export async function signCharge(signer: Account, consentId: Hex, period: number, id: Hex): Promise<Hex> {
  const types = {
    Charge: [
      { name: 'consentId', type: 'bytes32' },
      { name: 'period', type: 'uint32' },
      { name: 'id', type: 'bytes32' },
    ],
  } as const;
  const hash = hashTypedData({
    domain: escrowDomain,
    types,
    primaryType: 'Charge',
    message: { consentId, period, id },
  });
  return await signer.sign({ hash });
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

export function consentOf(terms: Terms): Consent {
  return {
    subscriptionId: keccak256(stringToHex('subscription')),
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
