-- Coupons of subscriptions: how long a coupon applies, what is left of it, and what each invoice was reduced by.
CREATE TYPE "coupon_duration" AS ENUM ('ONCE', 'REPEATING', 'FOREVER');
ALTER TABLE "coupon"
  ADD COLUMN "duration" "coupon_duration" NOT NULL DEFAULT 'ONCE',
  ADD COLUMN "duration_periods" INTEGER,
  ADD CONSTRAINT "coupon_duration_periods" CHECK (("duration" = 'REPEATING') = ("duration_periods" IS NOT NULL));

ALTER TABLE "subscription"
  ADD COLUMN "coupon_id" UUID REFERENCES "coupon"("id") ON DELETE SET NULL ON UPDATE CASCADE,
  ADD COLUMN "coupon_periods_left" INTEGER,
  ADD CONSTRAINT "subscription_coupon_periods_left" CHECK ("coupon_periods_left" >= 0);

ALTER TABLE "invoice"
  ADD COLUMN "coupon_id" UUID REFERENCES "coupon"("id") ON DELETE SET NULL ON UPDATE CASCADE,
  ADD COLUMN "discount_amount" DECIMAL(14,2) NOT NULL DEFAULT 0;
ALTER TABLE "invoice_item" ADD COLUMN "discount_amount" DECIMAL(14,2) NOT NULL DEFAULT 0;

ALTER TABLE "coupon_redemption"
  ALTER COLUMN "session_id" DROP NOT NULL,
  ADD COLUMN "subscription_id" UUID REFERENCES "subscription"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  ADD CONSTRAINT "coupon_redemption_by" CHECK (("session_id" IS NULL) <> ("subscription_id" IS NULL));
CREATE INDEX "coupon_redemption_subscription_id_idx" ON "coupon_redemption"("subscription_id");
