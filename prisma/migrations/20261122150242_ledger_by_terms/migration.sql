-- CreateIndex
CREATE INDEX "ledger_entry_terms_hash_idx" ON "ledger_entry"("terms_hash");
