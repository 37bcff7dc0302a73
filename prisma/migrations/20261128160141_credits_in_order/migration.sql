-- The credits and claims of a recipient in the order of the chain, so that the claim before or after another one is found without reading all of them.
CREATE INDEX "chain_fact_credits_in_order_idx" ON "chain_fact"("chain_id", ("args"->>'recipient'), ("args"->>'token'), "kind", "block_number", "log_index") WHERE "kind" IN ('Credited', 'Claimed');
DROP INDEX "chain_fact_credit_idx";
