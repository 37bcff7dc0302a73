-- CreateEnum
CREATE TYPE "payout_role" AS ENUM ('PAYER', 'MERCHANT', 'FEE_RECIPIENT');

-- AlterTable
ALTER TABLE "payment_intent" ADD COLUMN "settlement_check_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "credited_payout" (
    "id" UUID NOT NULL,
    "payment_intent_id" UUID NOT NULL,
    "transaction_id" UUID,
    "chain_id" INTEGER NOT NULL,
    "terms_hash" TEXT NOT NULL,
    "role" "payout_role" NOT NULL,
    "recipient" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "token_key" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "tx_hash" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_hash" TEXT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "credited_at" TIMESTAMPTZ(3) NOT NULL,
    "delivered_to" TEXT,
    "delivered_tx_hash" TEXT,
    "delivered_block_number" BIGINT,
    "delivered_block_hash" TEXT,
    "delivered_log_index" INTEGER,
    "delivered_at" TIMESTAMPTZ(3),
    "next_try_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credited_payout_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "credited_payout_chain_id_block_hash_log_index_key" ON "credited_payout"("chain_id", "block_hash", "log_index");

-- CreateIndex
CREATE INDEX "credited_payout_payment_intent_id_created_at_idx" ON "credited_payout"("payment_intent_id", "created_at");

-- CreateIndex
CREATE INDEX "credited_payout_transaction_id_idx" ON "credited_payout"("transaction_id");

-- CreateIndex
CREATE INDEX "credited_payout_chain_id_terms_hash_idx" ON "credited_payout"("chain_id", "terms_hash");

-- CreateIndex
CREATE INDEX "credited_payout_chain_id_recipient_token_idx" ON "credited_payout"("chain_id", "recipient", "token");

-- CreateIndex
CREATE INDEX "credited_payout_delivered_at_next_try_at_idx" ON "credited_payout"("delivered_at", "next_try_at");

-- AddForeignKey
ALTER TABLE "credited_payout" ADD CONSTRAINT "credited_payout_payment_intent_id_fkey" FOREIGN KEY ("payment_intent_id") REFERENCES "payment_intent"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credited_payout" ADD CONSTRAINT "credited_payout_transaction_id_fkey" FOREIGN KEY ("transaction_id") REFERENCES "transaction"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- One claim delivers parts of several payments.
-- DropIndex
DROP INDEX "ledger_entry_chain_id_block_hash_log_index_account_kind_key";

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entry_chain_id_block_hash_log_index_account_kind_ter_key" ON "ledger_entry"("chain_id", "block_hash", "log_index", "account", "kind", "terms_hash");

-- What was credited to a recipient in a token, and what it claimed, of payments of other gateways too. Prisma cannot say this.
CREATE INDEX "chain_fact_credit_idx" ON "chain_fact"("chain_id", ("args"->>'recipient'), ("args"->>'token')) WHERE "kind" IN ('Credited', 'Claimed');
