-- AlterTable
ALTER TABLE "webhook_delivery" ADD COLUMN     "first_tried_at" TIMESTAMPTZ(3),
ADD COLUMN     "try_count" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "webhook_endpoint" ADD COLUMN     "lease_until" TIMESTAMPTZ(3);
