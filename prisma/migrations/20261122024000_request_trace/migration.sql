-- AlterTable
ALTER TABLE "event" ADD COLUMN     "request_id" TEXT;

-- AlterTable
ALTER TABLE "outgoing_transaction" ADD COLUMN     "request_id" TEXT;

-- The approvals of one owner, which are looked for when one of them is revoked or loses its block.
CREATE INDEX "chain_fact_approval_owner_idx" ON "chain_fact" ("chain_id", (args ->> 'owner')) WHERE kind = 'Approval';
