-- The batch that sends a relayed transaction together with others.
ALTER TABLE "outgoing_transaction" ADD COLUMN "batch_id" UUID;
ALTER TABLE "outgoing_transaction" ADD CONSTRAINT "outgoing_transaction_batch_id_fkey" FOREIGN KEY ("batch_id")
  REFERENCES "outgoing_transaction"("id") ON DELETE SET NULL ON UPDATE CASCADE;
CREATE INDEX "outgoing_transaction_batch_id_idx" ON "outgoing_transaction"("batch_id");
