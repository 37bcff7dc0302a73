/** Reads the outcomes of authorizations from the chain. */
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  multicall3Abi,
  numberToHex,
  pad,
  type TransactionReceipt,
} from 'viem';
import { z } from 'zod';
import type { ExactAuthorization } from '../../../../prisma/client.ts';
import { type EvmClient, MULTICALL3 } from '../../../chains/evm/nodes.ts';
import { logShape } from '../../../chains/evm/result-shapes.ts';
import {
  authorizationAbi,
  canceledTopic,
  isTransferAfter,
  usedTopic,
} from '../../../chains/evm/transfer-authorization.ts';
import { lowest } from '../../../facts/chain-fact.ts';
import type { ChainView } from '../../../facts/chain-view.ts';
import { toBigInt } from '../../../prices/base-units.ts';
import { TRANSFERRED } from '../../ledger.ts';
import { CANCELED, type ExactKind, hex, REUSED } from './exact-authorization.ts';

/** The use of an authorization in a block, and the place of its log. */
export type FoundUse = {
  authorization: ExactAuthorization;
  kind: ExactKind;
  blockNumber: bigint;
  blockHash: string;
  txHash: string;
  logIndex: number;
};

type NodeLog = z.infer<typeof logShape>;
type OfChain = Pick<ExactAuthorization, 'token' | 'payer' | 'nonce'>;

/** More calls in one request would exceed the gas limit of public nodes. */
const CALLS_AT_ONCE = 400;
/** Public nodes allow as many in one request for logs. */
const BLOCKS_AT_ONCE = 2_000n;
/** Nonces named in one request for logs. */
const NONCES_AT_ONCE = 200;

/**
 * Whether each nonce is used or canceled in the state of exactly this block, which must be canonical; null where the token did not answer.
 */
export async function readUsed(
  client: EvmClient,
  { authorizations, blockHash }: { authorizations: readonly OfChain[]; blockHash: Hex },
): Promise<(boolean | null)[]> {
  const used: (boolean | null)[] = [];
  for (let start = 0; start < authorizations.length; start += CALLS_AT_ONCE) {
    const part = authorizations.slice(start, start + CALLS_AT_ONCE);
    const calls = part.map(({ token, payer, nonce }) => ({
      target: hex(token),
      allowFailure: true,
      callData: encodeFunctionData({
        abi: authorizationAbi,
        functionName: 'authorizationState',
        args: [hex(payer), hex(nonce)],
      }),
    }));
    const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
    const block = { blockHash, requireCanonical: true };
    const answer = await client.request({ method: 'eth_call', params: [{ to: MULTICALL3, data }, block] });
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer });
    for (const [index] of part.entries()) {
      const result = results[index];
      const isWord = result?.success && result.returnData.length >= 66;
      used.push(isWord ? BigInt(result.returnData.slice(0, 66)) !== 0n : null);
    }
  }
  return used;
}

/** Finds the logs by which used authorizations of one chain were used or canceled, in blocks up to the head of the view. */
export async function findUses(
  client: EvmClient,
  { authorizations, view }: { authorizations: readonly ExactAuthorization[]; view: ChainView },
): Promise<FoundUse[]> {
  const found: FoundUse[] = [];
  for (const [token, ofToken] of Map.groupBy(authorizations, (one) => one.token)) {
    for (let start = 0; start < ofToken.length; start += NONCES_AT_ONCE) {
      const part = ofToken.slice(start, start + NONCES_AT_ONCE);
      const logs = await useLogs(client, { token: hex(token), part, head: view.head.number });
      for (const log of logs) {
        const use = await useOf(client, { part, log });
        if (use) found.push(use);
      }
    }
  }
  return found;
}

async function useLogs(
  client: EvmClient,
  { token, part, head }: { token: Address; part: readonly ExactAuthorization[]; head: bigint },
): Promise<NodeLog[]> {
  const payers = [...new Set(part.map(({ payer }) => pad(hex(payer))))];
  const nonces = part.map(({ nonce }) => hex(nonce));
  const topics = [[usedTopic, canceledTopic], payers, nonces];
  const from = lowest(head, ...part.map(({ fromNumber }) => fromNumber));
  const logs: NodeLog[] = [];
  for (let start = from; start <= head; start += BLOCKS_AT_ONCE) {
    const end = start + BLOCKS_AT_ONCE - 1n;
    const range = { fromBlock: numberToHex(start), toBlock: numberToHex(end < head ? end : head) };
    const answer = await client.request({ method: 'eth_getLogs', params: [{ address: token, topics, ...range }] });
    logs.push(...z.array(logShape).parse(answer));
  }
  return logs;
}

async function useOf(
  client: EvmClient,
  { part, log }: { part: readonly ExactAuthorization[]; log: NodeLog },
): Promise<FoundUse | null> {
  const [topic, payer, nonce] = log.topics.map((one) => one.toLowerCase());
  const authorization = part.find((one) => pad(hex(one.payer)) === payer && one.nonce === nonce);
  if (!authorization) return null;
  const at = {
    authorization,
    blockNumber: BigInt(log.blockNumber),
    blockHash: log.blockHash.toLowerCase(),
    txHash: log.transactionHash.toLowerCase(),
    logIndex: Number(log.logIndex),
  };
  if (topic === canceledTopic) return { ...at, kind: CANCELED };
  const receipt = await client.getTransactionReceipt({ hash: log.transactionHash });
  if (receipt.blockHash.toLowerCase() !== at.blockHash) return null;
  return { ...at, kind: isTransferOf(authorization, receipt, at.logIndex) ? TRANSFERRED : REUSED };
}

/** Whether the use of the authorization at `logIndex` moved its amount from the payer to the merchant. */
export function isTransferOf(
  { token, payer, payTo, amount }: Pick<ExactAuthorization, 'token' | 'payer' | 'payTo' | 'amount'>,
  receipt: Pick<TransactionReceipt, 'logs'>,
  logIndex: number,
): boolean {
  const transfer = { from: hex(payer), to: hex(payTo), value: toBigInt(amount) };
  return isTransferAfter(receipt.logs, { token, logIndex, ...transfer });
}
