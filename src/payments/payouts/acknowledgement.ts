/**
 * An operator's acknowledgement of what is undelivered to one recipient in one token of a chain: the operator is handling it, or it can
 * never be delivered, and it should no longer raise an alarm. Anyone can create a recipient that rejects payouts, by paying from a contract
 * and getting a refund.
 *
 * It covers the payouts seen before it was given, and none seen later, including one that a reorganization removed and that was
 * mined again. It changes nothing else: delivery is still retried, and the payout is still reported.
 */
import { Prisma } from '../../../prisma/client.ts';

/** Joins each row of `credited_payout payout` with the acknowledgement that covers it, if there is one. */
export const coveringAcknowledgement = Prisma.sql`
  LEFT JOIN payout_acknowledgement acknowledgement
    ON acknowledgement.chain_id = payout.chain_id AND acknowledgement.recipient = payout.recipient
    AND acknowledgement.token = payout.token AND payout.created_at <= acknowledgement.covers_until`;
