-- AlterTable
ALTER TABLE "webhook_endpoint" ADD COLUMN     "failures_in_row" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "ordered" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "paused_until" TIMESTAMPTZ(3);

-- DropIndex
DROP INDEX "webhook_delivery_webhook_id_status_next_retry_at_idx";

-- What an endpoint is sent next: first attempts in the order of the sequence, and retries in the order in which they are due.
CREATE INDEX "webhook_delivery_first_attempt_idx" ON "webhook_delivery"("webhook_id", "sequence") WHERE "status" = 'PENDING' AND "attempts" = 0;
CREATE INDEX "webhook_delivery_retry_idx" ON "webhook_delivery"("webhook_id", "next_retry_at", "sequence") WHERE "status" = 'PENDING' AND "attempts" > 0;
