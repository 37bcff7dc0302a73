-- When the indexer last got something done for the chain, which moves within a turn too.
ALTER TABLE "chain_cursor" ADD COLUMN "observed_at" TIMESTAMPTZ(3);
