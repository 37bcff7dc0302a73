-- CreateIndex
CREATE INDEX "subscription_consent_wallet_address_created_at_idx" ON "subscription_consent"("wallet_address", "created_at");
