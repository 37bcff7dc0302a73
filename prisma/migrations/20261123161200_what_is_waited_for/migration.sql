-- CreateEnum
CREATE TYPE "outgoing_wait" AS ENUM ('GAS', 'RECIPIENT', 'PERSON');

-- AlterTable
ALTER TABLE "outgoing_transaction" ADD COLUMN "waits_for" "outgoing_wait";

-- What waits already: a worker says it anew when it looks at it next.
UPDATE "outgoing_transaction" SET "waits_for" = CASE WHEN "error" LIKE 'The operator%' THEN 'GAS' ELSE 'RECIPIENT' END::"outgoing_wait"
WHERE "status" = 'QUEUED' AND "waits_since" IS NOT NULL;

-- Subscriptions whose renewals fail: few of very many.
CREATE INDEX "subscription_failing_idx" ON "subscription"("id") WHERE "capture_retry_count" > 0;
