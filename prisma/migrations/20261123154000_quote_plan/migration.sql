-- How a quote is to be paid and the transaction that the payer's wallet told of are two facts: a column each.
ALTER TABLE "quote" RENAME COLUMN "steps" TO "plan";
ALTER TABLE "quote" ADD COLUMN "told_tx_hash" TEXT;
UPDATE "quote" SET "told_tx_hash" = "plan"->>'txHash', "plan" = "plan" - 'txHash' WHERE jsonb_exists("plan", 'txHash');
