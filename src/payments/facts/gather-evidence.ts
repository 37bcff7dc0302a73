import { isAddressEqual, isHex } from 'viem';
import type { ChainFact, PaymentTerms } from '../../../prisma/client.ts';
import { type EscrowState, readEscrowState } from '../../escrow/read-escrow-state.ts';
import { solanaTermsFromJson } from '../../escrow/solana/solana-terms.ts';
import type { FactGroup } from '../../facts/fact-handler.ts';
import { foldPayment, type PaymentFact, type PaymentState } from '../fold.ts';
import type { FoldingWorld, PaymentEvidence } from './folding-world.ts';
import { standingFacts, toPaymentFacts } from './standing-facts.ts';

type Subject = { group: FactGroup; terms: PaymentTerms };

/**
 * All standing facts of the payment, if the contract agrees with their fold: at the confirmed block by its hash, or at
 * the latest block, with all facts up to it, where the node does not keep state that deep. Null where they disagree.
 */
export async function gatherEvidence(world: FoldingWorld, subject: Subject): Promise<PaymentEvidence | null> {
  const { group, terms } = subject;
  const place = { chainId: terms.chainId, termsHash: terms.termsHash };
  const rows = await standingFacts(world.database, place);
  if (world.registry.chain(terms.chainId)?.family === 'SOLANA') return vaultEvidence(subject, rows);
  if (!(await areCanonical(subject, rows)) || !areOfEscrow(world, subject, rows)) return null;
  const facts = toPaymentFacts(rows);
  const state = facts && foldPayment(facts);
  if (!state) return null;
  const contract = await readState(world, subject, group.view.confirmed.hash);
  const agreed = contract ? agrees(state, contract) : await agreesAtLatest(world, subject);
  if (!agreed) return null;
  return { terms, facts, gasUsed: await readGasUsed(world, group), group };
}

/**
 * On Solana facts are read off final transactions, vault by vault: there is no second witness to ask. That books and
 * vaults agree is looked at by the comparison, and before anything leaves a vault.
 */
function vaultEvidence({ group, terms }: Subject, rows: readonly ChainFact[]): PaymentEvidence | null {
  const { vault } = solanaTermsFromJson(terms.terms);
  const facts = rows.every((row) => row.address === vault) ? toPaymentFacts(rows) : null;
  if (!facts || !foldPayment(facts)) return null;
  return { terms, facts, gasUsed: new Map(), group };
}

function agrees(state: PaymentState, contract: EscrowState): boolean {
  return state.status === contract.status && state.left === contract.left;
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

/** Null when the node has no state of that block; throws what the node throws when asked for the latest. */
async function readState(
  world: FoldingWorld,
  { terms }: Subject,
  blockHash: string | null,
): Promise<EscrowState | null> {
  const escrow = world.registry.chain(terms.chainId)?.escrow;
  if (!escrow || !isHex(terms.termsHash)) return null;
  const request = { id: terms.termsHash, ...(isHex(blockHash) ? { blockHash } : {}) };
  try {
    return await world.nodes.asking(terms.chainId, (client) => readEscrowState({ client, escrow }, request));
  } catch (error) {
    // Nodes say "I have no such state" in many ways; one that does not answer at all will not at latest either.
    if (blockHash === null) throw error;
    return null;
  }
}

/** One fork's facts only: beside a fact of a block that is gone, the rest is not yet the whole truth. */
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

/** Of the facts that are new; it is told where it is known, and evidence of nothing. */
async function readGasUsed(world: FoldingWorld, group: FactGroup): Promise<Map<string, bigint>> {
  const hashes = new Set(group.facts.filter((fact) => fact.status === 'CONFIRMED').map((fact) => fact.txHash));
  const gasUsed = new Map<string, bigint>();
  for (const hash of hashes) {
    if (!isHex(hash)) continue;
    const receipt = await world.nodes
      .client(group.chainId)
      .getTransactionReceipt({ hash })
      .catch(() => null);
    if (receipt) gasUsed.set(hash, receipt.gasUsed);
  }
  return gasUsed;
}
