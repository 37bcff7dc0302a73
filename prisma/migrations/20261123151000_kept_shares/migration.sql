-- AlterTable
ALTER TABLE "credited_payout" ADD COLUMN "kept_at" TEXT;

-- AlterTable
ALTER TABLE "outgoing_transaction" ADD COLUMN "waits_since" TIMESTAMPTZ(3);
