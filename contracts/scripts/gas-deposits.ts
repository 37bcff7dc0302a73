import { encodeFunctionData, type Hex, zeroAddress } from 'viem';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { escrowAddress } from '../../src/escrow/escrow-bytecode.ts';
import { usdcTokenAbi } from '../../src/local/test-tokens.ts';
import { type Account, type Bench, newTerms, send, signTerms, type Terms } from './gas-bench.ts';
import type { Row } from './gas-report.ts';

/** Gas of deposit addresses: the payer's own transfer, and what collects or returns it. */

/** The limit of a wallet that only ever sends coin to accounts without code. */
const PLAIN_TRANSFER_GAS = 21_000n;

export async function measureDeposits(bench: Bench): Promise<Row[]> {
  const { operator, relayer } = bench.people;
  const hold = { captureOnAuthorize: false };
  const coin = await newTerms(bench, { ...hold, token: zeroAddress });
  const token = await newTerms(bench, hold);
  const early = await newTerms(bench, hold);
  const rows: Row[] = [
    { operation: 'deposit of coin (a plain transfer)', gas: await deposit(bench, coin, PLAIN_TRANSFER_GAS) },
    { operation: 'authorizeFromDeposit (coin, hold; deploys the box)', gas: await collect(bench, coin) },
    { operation: 'deposit of a token (its transfer)', gas: await deposit(bench, token) },
    { operation: 'authorizeFromDeposit (token, hold; deploys the box)', gas: await collect(bench, token) },
  ];
  await expectPlainTransferToFail(bench, coin);
  await deposit(bench, coin);
  await deposit(bench, token);
  await deposit(bench, early);
  rows.push(
    { operation: 'returnDeposit (coin; the box is there)', gas: await giveBack(bench, relayer, coin) },
    { operation: 'returnDeposit (token; the box is there)', gas: await giveBack(bench, relayer, token) },
    { operation: 'returnDeposit (token; deploys the box)', gas: await giveBack(bench, operator, early) },
  );
  return rows;
}

/** The payer sends the amount, of coin with a gas limit of its own if one is given. */
async function deposit(bench: Bench, terms: Terms, gas?: bigint): Promise<bigint> {
  const from = bench.people.payer;
  const box = await addressOf(bench, terms);
  if (terms.token === zeroAddress) {
    return (await send(bench, { from, to: box, data: '0x', value: terms.amount, gas })).gasUsed;
  }
  const data = encodeFunctionData({ abi: usdcTokenAbi, functionName: 'transfer', args: [box, terms.amount] });
  return (await send(bench, { from, to: terms.token, data })).gasUsed;
}

async function collect(bench: Bench, terms: Terms): Promise<bigint> {
  const { operator, relayer } = bench.people;
  const args = [terms, await signTerms(operator, terms)] as const;
  const data = encodeFunctionData({ abi: escrowAbi, functionName: 'authorizeFromDeposit', args });
  return (await send(bench, { from: relayer, to: escrowAddress, data })).gasUsed;
}

async function giveBack(bench: Bench, from: Account, terms: Terms): Promise<bigint> {
  const args = [terms, terms.token] as const;
  const data = encodeFunctionData({ abi: escrowAbi, functionName: 'returnDeposit', args });
  return (await send(bench, { from, to: escrowAddress, data })).gasUsed;
}

/** The box has code by now, which takes more than a plain transfer's gas: the sender keeps the coin. */
async function expectPlainTransferToFail(bench: Bench, terms: Terms): Promise<void> {
  const { client, people } = bench;
  const box = await addressOf(bench, terms);
  const before = await client.getBalance({ address: box });
  const call = { from: people.payer, to: box, data: '0x', value: 1n, gas: PLAIN_TRANSFER_GAS } as const;
  await send(bench, call).catch(() => undefined);
  if ((await client.getBalance({ address: box })) !== before) throw new Error('A plain transfer reached a box.');
}

function addressOf({ client }: Bench, terms: Terms): Promise<Hex> {
  const functionName = 'depositAddressOf';
  return client.readContract({ address: escrowAddress, abi: escrowAbi, functionName, args: [terms] });
}
