import { decodeEventLog, encodeEventTopics, parseAbi, type TransactionReceipt } from 'viem';
import { z } from 'zod';
import { byPlace, type ChainLog, factKey } from '../../facts/chain-fact.ts';
import { withLowerCase } from '../../facts/log-source.ts';
import { reportLogs } from '../../facts/report-logs.ts';
import type { Receipts } from '../payouts/emitted-logs.ts';
import type { FoldingWorld, PaymentEvidence } from './folding-world.ts';
import { type StepsOfTransaction, stepsByTransaction } from './steps-by-transaction.ts';

const tokenAbi = parseAbi(['event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)']);
const [AUTHORIZATION_USED] = encodeEventTopics({ abi: tokenAbi, eventName: 'AuthorizationUsed' });
const authorized = new Set(['Authorized']);

/**
 * Puts the ERC-3009 authorization that collected a payment into the inbox. A token emits `AuthorizationUsed` without a recipient,
 * so no log filter can select it; it is taken from the receipt of the authorizing transaction, which is read for its gas anyway. The
 * contract accepts no nonce other than the payment's id, so the log belongs to this payment. No state depends on it, and it is
 * skipped when no node returns the receipt.
 */
export async function reportAuthorizations(
  world: Pick<FoldingWorld, 'database'>,
  { evidence, receipts }: { evidence: readonly PaymentEvidence[]; receipts: Receipts },
): Promise<void> {
  const found = new Map<string, ChainLog>();
  for (const steps of stepsByTransaction(evidence, authorized)) {
    const receipt = await receipts(steps.txHash).catch(() => null);
    for (const log of receipt ? authorizationsIn(receipt, steps) : []) found.set(factKey(log), log);
  }
  if (found.size > 0) await reportLogs(world, { logs: [...found.values()].sort(byPlace) });
}

const evmTerms = z.object({ token: z.string().startsWith('0x') });

/** The token's contract address in lower case; null for terms of a chain without ERC-3009. */
function tokenOf(terms: unknown): string | null {
  return evmTerms.safeParse(terms).data?.token.toLowerCase() ?? null;
}

function authorizationsIn(receipt: TransactionReceipt, steps: StepsOfTransaction): ChainLog[] {
  const { chainId, blockNumber, blockHash, blockTimestamp, txHash, payments } = steps;
  return receipt.logs.flatMap((log) => {
    if (log.topics[0] !== AUTHORIZATION_USED || log.blockHash.toLowerCase() !== blockHash) return [];
    const args = decodeAuthorization(log);
    const ref = args?.nonce.toLowerCase();
    const terms = ref === undefined ? undefined : payments.get(ref);
    const address = log.address.toLowerCase();
    if (!args || ref === undefined || !terms || tokenOf(terms.terms) !== address) return [];
    const place = { chainId, blockNumber, blockHash, blockTimestamp, txHash, logIndex: log.logIndex };
    return [{ ...place, address, kind: 'AuthorizationUsed', ref, args: withLowerCase({ ...args }) }];
  });
}

function decodeAuthorization({ topics, data }: TransactionReceipt['logs'][number]) {
  try {
    return decodeEventLog({ abi: tokenAbi, topics, data }).args;
  } catch {
    return null;
  }
}
