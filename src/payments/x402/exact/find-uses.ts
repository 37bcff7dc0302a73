/** Reads the outcomes of authorizations from the chain. */
import {
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
/** Requests for the logs of one group of nonces in a turn. A longer range is searched in several turns. */
const REQUESTS_AT_ONCE = 10n;
const SEARCHED_AT_ONCE = BLOCKS_AT_ONCE * REQUESTS_AT_ONCE;
/** Nonces named in one request for logs. */
const NONCES_AT_ONCE = 200;
/** Blocks below the one at which the nonce was unused. A reorganization or a lagging node may have placed the use in one of them. */
const MARGIN_BLOCKS = 256n;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Searches for the logs of used authorizations that have found nothing yet, by the authorizations' ids. `next` is the first block that was
 * not searched. `misses`: how often all blocks up to the head had no log. The next search begins at `dueAt`, in milliseconds.
 */
export type UseSearches = Map<string, { next: bigint; misses: number; dueAt: number }>;

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

/**
 * Finds the logs by which used authorizations of one chain were used or canceled, in blocks up to the head of the view. Long ranges are
 * continued in the next turns. After a search without a result, which a node that lags with its logs causes, the pause before the next one
 * doubles up to a minute. `missing` are the authorizations whose searches have ended so.
 */
export async function findUses(
  client: EvmClient,
  request: { authorizations: readonly ExactAuthorization[]; view: ChainView; searches: UseSearches; now: Date },
): Promise<{ found: FoundUse[]; missing: ExactAuthorization[] }> {
  const { authorizations, view, searches, now } = request;
  const head = view.head.number;
  const due = authorizations.filter(({ id }) => (searches.get(id)?.dueAt ?? 0) <= now.getTime());
  // An authorization that was used long ago must not hold up those that have just been used.
  const groupOf = (one: ExactAuthorization) => `${one.token} ${head - firstBlock(one, searches) < SEARCHED_AT_ONCE}`;
  const found: FoundUse[] = [];
  const missing: ExactAuthorization[] = [];
  for (const group of Map.groupBy(due, groupOf).values()) {
    for (let start = 0; start < group.length; start += NONCES_AT_ONCE) {
      const part = group.slice(start, start + NONCES_AT_ONCE);
      const from = lowest(head, ...part.map((one) => firstBlock(one, searches)));
      const to = lowest(head, from + SEARCHED_AT_ONCE - 1n);
      const uses = await usesIn(client, { part, from, to });
      found.push(...uses);
      missing.push(...noteSearched(searches, { part, uses, to, isComplete: to === head, now }));
    }
  }
  return { found, missing };
}

function firstBlock(authorization: ExactAuthorization, searches: UseSearches): bigint {
  return searches.get(authorization.id)?.next ?? startOf(authorization);
}

function startOf({ fromNumber }: ExactAuthorization): bigint {
  return fromNumber > MARGIN_BLOCKS ? fromNumber - MARGIN_BLOCKS : 0n;
}

/** Returns the authorizations that a complete search has not found. */
function noteSearched(
  searches: UseSearches,
  of: { part: readonly ExactAuthorization[]; uses: readonly FoundUse[]; to: bigint; isComplete: boolean; now: Date },
): ExactAuthorization[] {
  const { part, uses, to, isComplete, now } = of;
  const unfound = part.filter((one) => !uses.some(({ authorization }) => authorization === one));
  for (const { authorization } of uses) searches.delete(authorization.id);
  for (const one of unfound) {
    const { misses = 0, next = 0n } = searches.get(one.id) ?? {};
    const dueAt = now.getTime() + Math.min(1_000 * 2 ** misses, LONGEST_PAUSE_MS);
    const search = isComplete
      ? { next: startOf(one), misses: misses + 1, dueAt }
      : { next: next > to ? next : to + 1n, misses, dueAt: 0 };
    searches.set(one.id, search);
  }
  return isComplete ? unfound : [];
}

async function usesIn(
  client: EvmClient,
  { part, from, to }: { part: readonly ExactAuthorization[]; from: bigint; to: bigint },
): Promise<FoundUse[]> {
  const [first] = part;
  if (!first) return [];
  const payers = [...new Set(part.map(({ payer }) => pad(hex(payer))))];
  const topics = [[usedTopic, canceledTopic], payers, part.map(({ nonce }) => hex(nonce))];
  const found: FoundUse[] = [];
  for (let start = from; start <= to; start += BLOCKS_AT_ONCE) {
    const range = { fromBlock: numberToHex(start), toBlock: numberToHex(lowest(to, start + BLOCKS_AT_ONCE - 1n)) };
    const answer = await client.request({
      method: 'eth_getLogs',
      params: [{ address: hex(first.token), topics, ...range }],
    });
    for (const log of z.array(logShape).parse(answer)) {
      const use = await useOf(client, { part, log });
      if (use) found.push(use);
    }
  }
  return found;
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
