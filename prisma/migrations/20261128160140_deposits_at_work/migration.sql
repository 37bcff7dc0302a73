-- CreateIndex
CREATE INDEX "deposit_address_authorize_by_idx" ON "deposit_address"("authorize_by");

-- The addresses that operators are told of, among all that were ever issued. Prisma cannot say this.
CREATE INDEX "deposit_address_stuck_idx" ON "deposit_address"("stuck_since") WHERE "stuck_since" IS NOT NULL;
CREATE INDEX "deposit_balance_held_idx" ON "deposit_balance"("chain_id", "token_key") WHERE "held" > 0;
