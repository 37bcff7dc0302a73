import { encodeEventTopics, isAddressEqual, type TransactionReceipt } from 'viem';
import { escrowAbi } from '../../escrow/escrow-abi.ts';
import { decodeEscrowLog } from '../../escrow/escrow-event.ts';
import { byPlace, type ChainLog, factKey } from '../../facts/chain-fact.ts';
import { withLowerCase } from '../../facts/log-source.ts';
import { reportLogs } from '../../facts/report-logs.ts';
import type { FoldingWorld, PaymentEvidence } from '../facts/folding-world.ts';
import { type StepsOfTransaction, stepsByTransaction } from '../facts/steps-by-transaction.ts';
import type { Receipts } from './emitted-logs.ts';

const [CREDITED] = encodeEventTopics({ abi: escrowAbi, eventName: 'Credited' });

/**
 * Puts credits of these payments into the inbox that are in the receipts of their new steps and that no source has reported; the
 * contract's state of a payment does not show that such a log is missing. The projector folds them in its next run.
 */
export async function reportUnreportedCredits(
  world: Pick<FoldingWorld, 'database' | 'registry' | 'log'>,
  { evidence, receipts }: { evidence: readonly PaymentEvidence[]; receipts: Receipts },
): Promise<void> {
  const credits = new Map<string, ChainLog>();
  for (const steps of stepsByTransaction(evidence)) {
    const escrow = world.registry.chain(steps.chainId)?.escrow;
    if (!escrow) continue;
    // A receipt that no node returns cannot be compared; `verify` still reports a missing credit.
    const receipt = await receipts(steps.txHash).catch(() => null);
    for (const log of receipt ? creditsIn(receipt, { ...steps, escrow }) : []) credits.set(factKey(log), log);
  }
  if (credits.size === 0) return;
  const logs = [...credits.values()].sort(byPlace);
  const put = await reportLogs(world, { logs });
  if (put === 0) return;
  world.log.warn(
    { chainId: logs[0]?.chainId, refs: [...new Set(logs.map(({ ref }) => ref))], facts: put },
    'Receipts contain credits of payments that had not been reported.',
  );
}

function creditsIn(receipt: TransactionReceipt, steps: StepsOfTransaction & { escrow: `0x${string}` }): ChainLog[] {
  const { chainId, blockNumber, blockHash, blockTimestamp, txHash, escrow, payments } = steps;
  return receipt.logs.flatMap((log) => {
    if (log.topics[0] !== CREDITED || !isAddressEqual(log.address, escrow)) return [];
    if (log.blockHash.toLowerCase() !== blockHash) return [];
    const decoded = decodeEscrowLog(log);
    const ref = decoded?.ref?.toLowerCase();
    if (decoded?.kind !== 'Credited' || ref === undefined || !payments.has(ref)) return [];
    const place = { chainId, blockNumber, blockHash, blockTimestamp, txHash, logIndex: log.logIndex };
    return [
      { ...place, address: log.address.toLowerCase(), kind: decoded.kind, ref, args: withLowerCase(decoded.args) },
    ];
  });
}
