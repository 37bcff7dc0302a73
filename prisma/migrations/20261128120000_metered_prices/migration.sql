-- Metered prices: usage by events with running totals, and the invoices that charge it.
ALTER TABLE "app" ADD COLUMN "usage_grace_seconds" INTEGER NOT NULL DEFAULT 3600;
ALTER TABLE "product_plan_price" ADD COLUMN "metering" JSONB;
ALTER TABLE "subscription_adjustment" ADD COLUMN "usage" JSONB;
ALTER TABLE "invoice_item" ADD COLUMN "usage" JSONB;
ALTER TABLE "subscription" ADD COLUMN "final_usage_due_at" TIMESTAMPTZ(3);
CREATE INDEX "subscription_final_usage_due_at_idx" ON "subscription"("final_usage_due_at") WHERE "final_usage_due_at" IS NOT NULL;

CREATE TYPE "usage_invoice_reason" AS ENUM ('ABOVE_CAP', 'FINAL');
ALTER TABLE "invoice"
  ADD COLUMN "usage_reason" "usage_invoice_reason",
  ADD COLUMN "split_from_id" UUID REFERENCES "invoice"("id") ON DELETE SET NULL ON UPDATE CASCADE;
CREATE INDEX "invoice_split_from_id_idx" ON "invoice"("split_from_id");

CREATE TABLE "usage_period" (
  "id" UUID NOT NULL,
  "subscription_id" UUID NOT NULL,
  "product_plan_price_id" UUID NOT NULL,
  "starts_at" TIMESTAMPTZ(3) NOT NULL,
  "ends_at" TIMESTAMPTZ(3),
  "quantity" DECIMAL(40,12) NOT NULL DEFAULT 0,
  "event_count" INTEGER NOT NULL DEFAULT 0,
  "is_free" BOOLEAN NOT NULL DEFAULT false,
  "closed_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),
  CONSTRAINT "usage_period_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "usage_period_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "subscription"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "usage_period_product_plan_price_id_fkey" FOREIGN KEY ("product_plan_price_id") REFERENCES "product_plan_price"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "usage_period_subscription_id_starts_at_key" ON "usage_period"("subscription_id", "starts_at");

CREATE TABLE "usage_event" (
  "app_id" UUID NOT NULL,
  "event_id" TEXT NOT NULL,
  "usage_period_id" UUID NOT NULL,
  "quantity" DECIMAL(24,12) NOT NULL,
  "occurred_at" TIMESTAMPTZ(3) NOT NULL,
  "has_timestamp" BOOLEAN NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "usage_event_pkey" PRIMARY KEY ("app_id", "event_id"),
  CONSTRAINT "usage_event_usage_period_id_fkey" FOREIGN KEY ("usage_period_id") REFERENCES "usage_period"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
