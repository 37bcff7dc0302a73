-- Facts that are not final, of all chains at once, for the operators' page and the metrics. PostgreSQL before version 18 reads all of an
-- index that begins with the chain for that, which has an entry for every fact that was ever seen.
CREATE INDEX "chain_fact_open_idx" ON "chain_fact"("chain_id", "status", "applied_at") WHERE "status" IN ('SEEN', 'CONFIRMED');
