-- Coupons, and which checkout session redeems which.
CREATE TABLE "coupon" (
  "id" UUID NOT NULL,
  "app_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "code" TEXT,
  "percent_off_bps" INTEGER,
  "amount_off" DECIMAL(14,2),
  "currency" TEXT,
  "max_redemptions" INTEGER,
  "max_redemptions_per_customer" INTEGER,
  "expires_at" TIMESTAMPTZ(3),
  "redemption_count" INTEGER NOT NULL DEFAULT 0,
  "is_active" BOOLEAN NOT NULL DEFAULT true,
  "metadata" JSONB NOT NULL DEFAULT '{}',
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),
  CONSTRAINT "coupon_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "coupon_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "coupon_discount" CHECK (("percent_off_bps" IS NULL) <> ("amount_off" IS NULL))
);
CREATE UNIQUE INDEX "coupon_app_id_code_key" ON "coupon"("app_id", "code");
CREATE INDEX "coupon_app_id_id_idx" ON "coupon"("app_id", "id");

CREATE TYPE "coupon_redemption_status" AS ENUM ('HELD', 'REDEEMED', 'RELEASED');
CREATE TABLE "coupon_redemption" (
  "id" UUID NOT NULL,
  "coupon_id" UUID NOT NULL,
  "session_id" UUID NOT NULL,
  "customer_account_id" UUID,
  "status" "coupon_redemption_status" NOT NULL DEFAULT 'HELD',
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),
  CONSTRAINT "coupon_redemption_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "coupon_redemption_coupon_id_fkey" FOREIGN KEY ("coupon_id") REFERENCES "coupon"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "coupon_redemption_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "checkout_session"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "coupon_redemption_customer_account_id_fkey" FOREIGN KEY ("customer_account_id") REFERENCES "customer_account"("id") ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "coupon_redemption_session_id_key" ON "coupon_redemption"("session_id");
CREATE INDEX "coupon_redemption_coupon_id_customer_account_id_idx" ON "coupon_redemption"("coupon_id", "customer_account_id");

ALTER TABLE "payment_link"
  ADD COLUMN "coupon_id" UUID REFERENCES "coupon"("id") ON DELETE SET NULL ON UPDATE CASCADE,
  ADD COLUMN "allow_coupon_codes" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "checkout_session"
  ADD COLUMN "coupon_id" UUID REFERENCES "coupon"("id") ON DELETE SET NULL ON UPDATE CASCADE,
  ADD COLUMN "discount_amount" DECIMAL(14,2) NOT NULL DEFAULT 0;
ALTER TABLE "checkout_item" ADD COLUMN "discount_amount" DECIMAL(14,2) NOT NULL DEFAULT 0;

CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "coupon" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "coupon_redemption" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
