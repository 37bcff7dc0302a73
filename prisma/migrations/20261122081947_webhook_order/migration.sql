-- AlterTable
ALTER TABLE "webhook_endpoint" ADD COLUMN     "queued_sequence" BIGINT NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_status_next_retry_at_idx" ON "webhook_delivery"("webhook_id", "status", "next_retry_at");

-- Events before this are queued by their own jobs.
UPDATE "webhook_endpoint" SET "queued_sequence" = COALESCE(
  (SELECT "last_sequence" FROM "event_cursor" WHERE "event_cursor"."app_id" = "webhook_endpoint"."app_id"), 0);
