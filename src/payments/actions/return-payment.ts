import { isHex } from 'viem';
import { transaction } from '../../../prisma/client.ts';
import { refundCall, voidCall } from '../../escrow/calldata.ts';
import { readEscrowState } from '../../escrow/read-escrow-state.ts';
import { termsFromJson } from '../../escrow/terms.ts';
import type { ChainActionWorld } from './action-world.ts';
import { escrowOf, pendingMoneyOut } from './held-payment.ts';
import { lockPayment } from './lock-payment.ts';
import { requestTransaction } from './request-transaction.ts';

/** The payer must get it back: tried for about a quarter of an hour, and rung again by the sweep. */
const SIMULATIONS = 20;

/**
 * Gives back the money of an authorization that does not count (a second one, or one for a cancelled intent): a VOID of
 * what is held, a REFUND of what is captured already, as the contract says at this moment. Does nothing for the terms
 * that the payment accepted, unless it FAILED, for money that is gone, and while a transaction is under way.
 */
export async function returnPayment(world: ChainActionWorld, { termsHash }: { termsHash: string }): Promise<void> {
  const row = await world.database.paymentTerms.findUnique({ where: { termsHash } });
  if (!row || !isHex(termsHash)) return;
  const { escrow } = escrowOf(world.registry, row.chainId);
  const state = await world.nodes.asking(row.chainId, (client) =>
    readEscrowState({ client, escrow }, { id: termsHash }),
  );
  if (state.left === 0n || (state.status !== 'AUTHORIZED' && state.status !== 'CAPTURED')) return;
  const terms = termsFromJson(row.terms);
  await transaction(world.database, async (tx) => {
    const intent = await lockPayment(tx, { id: row.paymentIntentId, scope: null });
    // The hold of a payment whose capture was given up goes back the same way.
    if (intent.acceptedTermsHash === termsHash && intent.status !== 'FAILED') return;
    if (await pendingMoneyOut(tx, termsHash)) return;
    const isHeld = state.status === 'AUTHORIZED';
    await requestTransaction(tx, {
      paymentIntentId: intent.id,
      chainId: row.chainId,
      termsHash,
      type: isHeld ? 'VOID' : 'REFUND',
      call: isHeld
        ? voidCall({ escrow, terms })
        : refundCall({ escrow, terms, amount: state.left, expectedLeft: state.left }),
      amount: state.left,
      sender: world.operator.address,
      maxFailures: SIMULATIONS,
    });
  });
}
