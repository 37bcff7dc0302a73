-- CreateIndex
CREATE INDEX "quote_wallet_address_expires_at_idx" ON "quote"("wallet_address", "expires_at");
