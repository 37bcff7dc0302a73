-- A range of blocks, whatever became of their events: what the comparison with the indexer's tables reads.
CREATE INDEX "chain_fact_chain_id_block_number_idx" ON "chain_fact"("chain_id", "block_number");

-- What reorganizations took: few of very many.
CREATE INDEX "chain_fact_orphaned_idx" ON "chain_fact"("chain_id", "block_number") WHERE "status" = 'ORPHANED';
