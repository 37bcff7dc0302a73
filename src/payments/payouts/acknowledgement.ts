/**
 * An operator's acknowledgement of what is undelivered to one recipient in one token of a chain: somebody looks after it, or
 * nobody ever can, and it need not raise the alarm any more. A recipient that refuses what it is sent can be made by
 * anybody, by paying from a contract and being refunded.
 *
 * It covers the payouts that had been seen when it was given, and none that is seen later, one that a reorganisation took and
 * brought back included. It changes nothing else: delivering is still tried, and everybody is still told of the payout.
 */
import { Prisma } from '../../../prisma/client.ts';

/** Joins each row of `credited_payout payout` with the acknowledgement that covers it, if there is one. */
export const coveringAcknowledgement = Prisma.sql`
  LEFT JOIN payout_acknowledgement acknowledgement
    ON acknowledgement.chain_id = payout.chain_id AND acknowledgement.recipient = payout.recipient
    AND acknowledgement.token = payout.token AND payout.created_at <= acknowledgement.covers_until`;
