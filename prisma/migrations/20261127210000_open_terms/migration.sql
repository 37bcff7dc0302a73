-- CreateIndex
CREATE INDEX "payment_terms_chain_id_authorize_by_idx" ON "payment_terms"("chain_id", "authorize_by");
