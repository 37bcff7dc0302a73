-- AlterTable
ALTER TABLE "outgoing_attempt" ADD COLUMN     "expires_at_height" BIGINT;

-- CreateTable
CREATE TABLE "solana_watch" (
    "terms_hash" TEXT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "payment_intent_id" UUID NOT NULL,
    "vault" TEXT NOT NULL,
    "vault_owner" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "pay_by" TIMESTAMPTZ(3) NOT NULL,
    "read_slot" BIGINT NOT NULL DEFAULT -1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "solana_watch_pkey" PRIMARY KEY ("terms_hash")
);

-- CreateIndex
CREATE INDEX "solana_watch_chain_id_pay_by_idx" ON "solana_watch"("chain_id", "pay_by");

-- CreateIndex
CREATE INDEX "solana_watch_vault_idx" ON "solana_watch"("vault");

-- CreateIndex
CREATE INDEX "solana_watch_vault_owner_idx" ON "solana_watch"("vault_owner");

-- CreateIndex
CREATE INDEX "solana_watch_reference_idx" ON "solana_watch"("reference");

-- CreateIndex
CREATE INDEX "payment_terms_chain_id_created_at_idx" ON "payment_terms"("chain_id", "created_at");
