import { type Hex, isAddressEqual, isHex } from 'viem';
import type { ChainFact, PaymentTerms } from '../../../prisma/client.ts';
import { evmBlockHash } from '../../chains/evm/evm-block-hash.ts';
import { countCalls } from '../../escrow/batch/batch-item.ts';
import { type EscrowState, readEscrowState } from '../../escrow/read-escrow-state.ts';
import { solanaTermsFromJson } from '../../escrow/solana/solana-terms.ts';
import type { FactGroup } from '../../facts/fact-handler.ts';
import { agrees, foldPayment, type PaymentFact, type PaymentState } from '../fold.ts';
import type { Receipts } from '../payouts/emitted-logs.ts';
import { readStatesTogether } from '../verification/read-states-together.ts';
import type { FoldingWorld, PaymentEvidence } from './folding-world.ts';
import { standingFacts, standingFactsOf, toPaymentFacts } from './standing-facts.ts';

type Subject = { group: FactGroup; terms: PaymentTerms };

/**
 * Reads the valid facts of each payment and checks that the contract agrees with their fold: at the hash of the confirmed
 * block, or, if the node has no state of that block, at the latest block with all facts up to it. The result is null for a
 * payment whose facts disagree. All payments are on one chain and are checked against one view.
 */
export async function gatherEvidence(
  world: FoldingWorld,
  { subjects, receipts }: { subjects: readonly Subject[]; receipts: Receipts },
): Promise<(PaymentEvidence | null)[]> {
  const [first] = subjects;
  if (!first) return [];
  const { chainId, view } = first.group;
  const termsHashes = subjects.map(({ terms }) => terms.termsHash);
  const standing = await standingFactsOf(world.database, { chainId, termsHashes });
  if (world.registry.chain(chainId)?.family === 'SOLANA') {
    return subjects.map((subject) => vaultEvidence(subject, standing.get(subject.terms.termsHash) ?? []));
  }
  const folds = await Promise.all(
    subjects.map((subject) => foldStanding(world, subject, standing.get(subject.terms.termsHash) ?? [])),
  );
  const folded = subjects.filter((_, index) => folds[index]);
  const [contract, gasUsed] = await Promise.all([
    readStates(world, folded, evmBlockHash(view.confirmed.hash)),
    readGasUsed(folded, receipts),
  ]);
  return await Promise.all(
    subjects.map(async (subject, index) => {
      const fold = folds[index];
      if (!fold) return null;
      const { terms, group } = subject;
      const state = contract.get(terms.termsHash) ?? null;
      const agreed = state ? agrees(fold.state, state) : await agreesAtLatest(world, subject);
      return agreed ? { terms, facts: fold.facts, gasUsed, group } : null;
    }),
  );
}

/** Null if the facts are not all from one fork and from the escrow, or if the contract cannot have emitted them in this order. */
async function foldStanding(
  world: FoldingWorld,
  subject: Subject,
  rows: readonly ChainFact[],
): Promise<{ facts: PaymentFact[]; state: PaymentState } | null> {
  if (!(await areCanonical(subject, rows)) || !areOfEscrow(world, subject, rows)) return null;
  const facts = toPaymentFacts(rows);
  const state = facts && foldPayment(facts);
  return state ? { facts, state } : null;
}

/**
 * Solana facts are read from final transactions, vault by vault, and there is no second source to check them against. The comparison checks
 * that ledger and vaults agree, and so does the pump before anything leaves a vault.
 */
function vaultEvidence({ group, terms }: Subject, rows: readonly ChainFact[]): PaymentEvidence | null {
  const { vault } = solanaTermsFromJson(terms.terms);
  const facts = rows.every((row) => row.address === vault) ? toPaymentFacts(rows) : null;
  if (!facts || !foldPayment(facts)) return null;
  return { terms, facts, gasUsed: new Map(), group };
}

async function agreesAtLatest(world: FoldingWorld, subject: Subject): Promise<boolean> {
  const { chainId, termsHash } = subject.terms;
  const rows = await standingFacts(world.database, { chainId, termsHash, seen: true });
  if (!(await areCanonical(subject, rows))) return false;
  const facts: PaymentFact[] | null = toPaymentFacts(rows);
  const state = facts && foldPayment(facts);
  const contract = state && (await readState(world, subject, null));
  return contract !== null && state !== null && agrees(state, contract);
}

/** States by terms hash: several in one call, and one by one where that fails. */
async function readStates(
  world: FoldingWorld,
  subjects: readonly Subject[],
  blockHash: Hex,
): Promise<Map<string, EscrowState | null>> {
  const chainId = subjects[0]?.terms.chainId ?? 0;
  const termsHashes = subjects.map(({ terms }) => terms.termsHash);
  const together = subjects.length > 1 ? await readStatesTogether(world, { chainId, termsHashes, blockHash }) : null;
  const states = await Promise.all(
    subjects.map((subject, index) => together?.[index] ?? readState(world, subject, blockHash)),
  );
  return new Map(subjects.map(({ terms }, index) => [terms.termsHash, states[index] ?? null]));
}

/** Null if the node has no state of that block. Throws the node's error if the latest block was requested. */
async function readState(world: FoldingWorld, { terms }: Subject, blockHash: Hex | null): Promise<EscrowState | null> {
  const escrow = world.registry.chain(terms.chainId)?.escrow;
  if (!escrow || !isHex(terms.termsHash)) return null;
  const request = { id: terms.termsHash, ...(blockHash === null ? {} : { blockHash }) };
  try {
    return await world.nodes.asking(terms.chainId, (client) => readEscrowState({ client, escrow }, request));
  } catch (error) {
    // Nodes report missing state in many different ways. A node that does not answer at all will fail for the latest block as
    // well.
    if (blockHash === null) throw error;
    return null;
  }
}

/** Whether all facts are from one fork. While a fact of an orphaned block is among them, the others may be incomplete. */
async function areCanonical({ group }: Subject, rows: readonly ChainFact[]): Promise<boolean> {
  for (const row of rows) {
    if (row.status === 'FINAL') continue;
    const block = await group.view.blockAt(row.blockNumber);
    if (block?.hash !== row.blockHash) return false;
  }
  return true;
}

function areOfEscrow(world: FoldingWorld, { terms }: Subject, rows: readonly ChainFact[]): boolean {
  const escrow = world.registry.chain(terms.chainId)?.escrow;
  return rows.every((row) => escrow && isHex(row.address) && isAddressEqual(row.address, escrow));
}

/**
 * Gas used by the transactions of the new facts, where a receipt is available; of a batch, the share of each of its calls. It is recorded for
 * information and is not evidence.
 */
async function readGasUsed(subjects: readonly Subject[], receipts: Receipts): Promise<Map<string, bigint>> {
  const facts = subjects.flatMap(({ group }) => group.facts.filter((fact) => fact.status === 'CONFIRMED'));
  const gasUsed = new Map<string, bigint>();
  const read = async (txHash: string) => {
    const receipt = await receipts(txHash).catch(() => null);
    if (receipt) gasUsed.set(txHash, receipt.gasUsed / BigInt(countCalls(receipt)));
  };
  await Promise.all([...new Set(facts.map(({ txHash }) => txHash))].map(read));
  return gasUsed;
}
