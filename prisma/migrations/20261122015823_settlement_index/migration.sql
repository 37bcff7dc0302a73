-- CreateIndex
CREATE INDEX "payment_intent_status_timelock_ends_at_idx" ON "payment_intent"("status", "timelock_ends_at");
