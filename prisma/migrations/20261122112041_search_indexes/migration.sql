-- CreateIndex
CREATE INDEX "customer_wallet_wallet_address_idx" ON "customer_wallet"("wallet_address");

-- CreateIndex
CREATE INDEX "payment_intent_authorization_tx_hash_idx" ON "payment_intent"("authorization_tx_hash");

-- CreateIndex
CREATE INDEX "payment_intent_authorization_wallet_address_idx" ON "payment_intent"("authorization_wallet_address");

-- CreateIndex
CREATE INDEX "transaction_tx_hash_idx" ON "transaction"("tx_hash");

-- The start of a reference, an email or a name in any case, for the search box. Prisma cannot say these in its schema.
CREATE INDEX "payment_intent_reference_start_idx" ON "payment_intent"("app_id", lower("external_id") text_pattern_ops) WHERE "external_id" IS NOT NULL;
CREATE INDEX "customer_account_email_start_idx" ON "customer_account"("app_id", lower("email") text_pattern_ops) WHERE "email" IS NOT NULL;
CREATE INDEX "customer_account_name_start_idx" ON "customer_account"("app_id", lower("name") text_pattern_ops) WHERE "name" IS NOT NULL;
CREATE INDEX "customer_account_reference_start_idx" ON "customer_account"("app_id", lower("external_id") text_pattern_ops) WHERE "external_id" IS NOT NULL;
