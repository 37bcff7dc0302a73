-- The reconciliation reads what left the escrow for merchants in the order of the chain.
CREATE INDEX "chain_fact_payout_idx" ON "chain_fact"("chain_id", "block_timestamp", "block_number", "log_index")
  WHERE "kind" IN ('Settled', 'Resolved', 'Credited', 'Claimed');
