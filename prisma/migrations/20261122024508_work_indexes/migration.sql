-- CreateIndex
CREATE INDEX "dispute_status_deadline_idx" ON "dispute"("status", "deadline");

-- CreateIndex
CREATE INDEX "outgoing_transaction_status_idx" ON "outgoing_transaction"("status");

-- CreateIndex
CREATE INDEX "transaction_terms_hash_idx" ON "transaction"("terms_hash");
