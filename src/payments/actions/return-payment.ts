import { isHex } from 'viem';
import { type DatabaseTransaction, type PaymentTerms, transaction } from '../../../prisma/client.ts';
import { refundCall, voidCall } from '../../escrow/calldata.ts';
import { readEscrowState } from '../../escrow/read-escrow-state.ts';
import { solanaTermsFromJson } from '../../escrow/solana/solana-terms.ts';
import { termsFromJson } from '../../escrow/terms.ts';
import { standingFacts, toPaymentFacts } from '../facts/standing-facts.ts';
import { foldPayment } from '../fold.ts';
import { isAccepted, type PaymentKey } from '../payment-key.ts';
import { requestTransaction, type TransactionRequest } from '../transactions/request-transaction.ts';
import type { ChainActionWorld } from './action-world.ts';
import { escrowOf, pendingMoneyOut } from './held-payment.ts';
import { lockPayment } from './lock-payment.ts';
import { returnOrder } from './payout-order.ts';

/** The payer must get the money back: retried for about a quarter of an hour, and scheduled again by the sweep. */
const SIMULATIONS = 20;

type Return = Pick<TransactionRequest, 'type' | 'call' | 'sender'> & { amount: bigint };

/**
 * Returns the money of an authorization that does not count (a second one, or one for a cancelled intent): a VOID of held money or a REFUND
 * of captured money, according to the contract's current state. On Solana, a REFUND of the balance in the ledger, which equals that of the
 * vault. Does nothing for the accepted terms of the payment unless it FAILED, for money that is gone, or while a transaction is pending.
 */
export async function returnPayment(world: ChainActionWorld, { chainId, termsHash }: PaymentKey): Promise<void> {
  const key = { chainId, termsHash };
  const row = await world.database.paymentTerms.findUnique({ where: { chainId_termsHash: key } });
  if (!row || !isHex(termsHash)) return;
  const isOnSolana = world.registry.chain(row.chainId)?.family === 'SOLANA';
  const ofContract = isOnSolana ? null : await returnFromContract(world, row);
  if (!isOnSolana && !ofContract) return;
  await transaction(world.database, async (tx) => {
    const intent = await lockPayment(tx, { id: row.paymentIntentId, scope: null });
    // The hold of a payment whose capture failed for good is returned in the same way.
    if (isAccepted(intent, key) && intent.status !== 'FAILED') return;
    if (await pendingMoneyOut(tx, key)) return;
    const due = ofContract ?? (await returnFromVault(tx, row));
    if (!due) return;
    await requestTransaction(tx, {
      paymentIntentId: intent.id,
      ...key,
      ...due,
      maxFailures: SIMULATIONS,
    });
  });
}

async function returnFromContract(world: ChainActionWorld, row: PaymentTerms): Promise<Return | null> {
  const { escrow } = escrowOf(world.registry, row.chainId);
  const id = row.termsHash;
  if (!isHex(id)) return null;
  const state = await world.nodes.asking(row.chainId, (client) => readEscrowState({ client, escrow }, { id }));
  if (state.left === 0n || (state.status !== 'AUTHORIZED' && state.status !== 'CAPTURED')) return null;
  const terms = termsFromJson(row.terms);
  const isHeld = state.status === 'AUTHORIZED';
  return {
    type: isHeld ? 'VOID' : 'REFUND',
    call: isHeld
      ? voidCall({ escrow, terms })
      : refundCall({ escrow, terms, amount: state.left, expectedLeft: state.left }),
    amount: state.left,
    sender: world.operator.address,
  };
}

async function returnFromVault(tx: DatabaseTransaction, row: PaymentTerms): Promise<Return | null> {
  const facts = toPaymentFacts(await standingFacts(tx, { chainId: row.chainId, termsHash: row.termsHash }));
  const state = facts && foldPayment(facts);
  if (state?.status !== 'CAPTURED' || !state.authorization || state.left === 0n) return null;
  const deposit = { payer: state.authorization.event.payer, amount: state.left };
  return { type: 'REFUND', ...returnOrder(solanaTermsFromJson(row.terms), deposit), amount: state.left };
}
