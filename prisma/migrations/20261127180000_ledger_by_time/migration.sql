-- CreateIndex
CREATE INDEX "ledger_entry_created_at_id_idx" ON "ledger_entry"("created_at", "id");
