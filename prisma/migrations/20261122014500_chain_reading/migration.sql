-- AlterTable
ALTER TABLE "chain_cursor" ADD COLUMN     "finalized_hash" TEXT,
ADD COLUMN     "read_number" BIGINT NOT NULL DEFAULT -1,
ADD COLUMN     "start_number" BIGINT;

