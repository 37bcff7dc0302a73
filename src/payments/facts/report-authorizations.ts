import { decodeEventLog, parseAbi, type TransactionReceipt } from 'viem';
import { z } from 'zod';
import { byPlace, type ChainLog, factKey } from '../../facts/chain-fact.ts';
import { withLowerCase } from '../../facts/log-source.ts';
import { reportLogs } from '../../facts/report-logs.ts';
import type { Receipts } from '../payouts/emitted-logs.ts';
import type { FoldingWorld, PaymentEvidence } from './folding-world.ts';

const tokenAbi = parseAbi(['event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)']);

/**
 * Puts the ERC-3009 authorization that collected a payment into the inbox. A token emits `AuthorizationUsed` without a recipient,
 * so no log filter finds ours; it is taken from the receipt of the authorizing transaction, which is read for its gas anyway. The
 * contract accepts no nonce other than the payment's id, so the log belongs to this payment. No state depends on it, and it is
 * skipped when no node returns the receipt.
 */
export async function reportAuthorizations(
  world: Pick<FoldingWorld, 'database'>,
  { evidence, receipts }: { evidence: readonly PaymentEvidence[]; receipts: Receipts },
): Promise<void> {
  const found = new Map<string, ChainLog>();
  for (const { group, terms } of evidence) {
    const token = tokenOf(terms.terms);
    for (const fact of group.facts) {
      if (token === null || fact.kind !== 'Authorized' || fact.status !== 'CONFIRMED') continue;
      const receipt = await receipts(fact.txHash).catch(() => null);
      for (const log of receipt ? authorizationsIn(receipt, { ...fact, token, ref: terms.termsHash }) : []) {
        found.set(factKey(log), log);
      }
    }
  }
  if (found.size > 0) await reportLogs(world, { logs: [...found.values()].sort(byPlace) });
}

const evmTerms = z.object({ token: z.string().startsWith('0x') });

/** The token's contract address in lower case; null for terms of a chain without ERC-3009. */
function tokenOf(terms: unknown): string | null {
  return evmTerms.safeParse(terms).data?.token.toLowerCase() ?? null;
}

function authorizationsIn(
  receipt: TransactionReceipt,
  step: Pick<ChainLog, 'chainId' | 'blockNumber' | 'blockHash' | 'blockTimestamp' | 'txHash'> & {
    token: string;
    ref: string;
  },
): ChainLog[] {
  const { chainId, blockNumber, blockHash, blockTimestamp, txHash, token, ref } = step;
  return receipt.logs.flatMap((log) => {
    if (log.address.toLowerCase() !== token || log.blockHash.toLowerCase() !== blockHash) return [];
    const args = decodeAuthorization(log);
    if (args?.nonce.toLowerCase() !== ref) return [];
    const place = { chainId, blockNumber, blockHash, blockTimestamp, txHash, logIndex: log.logIndex };
    return [{ ...place, address: token, kind: 'AuthorizationUsed', ref, args: withLowerCase({ ...args }) }];
  });
}

function decodeAuthorization({ topics, data }: TransactionReceipt['logs'][number]) {
  try {
    return decodeEventLog({ abi: tokenAbi, topics, data }).args;
  } catch {
    return null;
  }
}
