-- What a paid API call (x402) bought. All of the first three are null for every other payment intent.
ALTER TABLE "payment_intent" ADD COLUMN "x402_resource" TEXT,
  ADD COLUMN "x402_scheme" TEXT,
  ADD COLUMN "x402_network" TEXT,
  -- When the settlement was first reported as successful. Later reports are marked as repeated.
  ADD COLUMN "x402_answered_at" TIMESTAMPTZ(3),
  ADD CONSTRAINT "payment_intent_x402_whole" CHECK (num_nulls("x402_resource", "x402_scheme", "x402_network") IN (0, 3));

-- The paid API calls of an app, which are few among its payments. Prisma cannot say this.
CREATE INDEX "payment_intent_x402_idx" ON "payment_intent"("app_id", "id") WHERE "x402_scheme" IS NOT NULL;

-- Whether an app's keys may settle payments to other resource servers, within which limits in USD, and for which fee.
ALTER TABLE "app" ADD COLUMN "x402_settles_for_others" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "x402_payment_limit" DECIMAL(14,2) NOT NULL DEFAULT 10,
  ADD COLUMN "x402_daily_limit" DECIMAL(14,2) NOT NULL DEFAULT 1000,
  ADD COLUMN "x402_fee_bps" INTEGER NOT NULL DEFAULT 0;
