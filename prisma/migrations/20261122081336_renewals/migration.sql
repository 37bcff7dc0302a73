-- CreateEnum
CREATE TYPE "renewal_attempt_status" AS ENUM ('PENDING', 'PAID', 'FAILED');

-- AlterTable
ALTER TABLE "subscription" ADD COLUMN     "next_plan_price_id" UUID;

-- CreateTable
CREATE TABLE "renewal_attempt" (
    "id" UUID NOT NULL,
    "subscription_id" UUID NOT NULL,
    "invoice_id" UUID NOT NULL,
    "period" INTEGER,
    "terms_hash" TEXT,
    "status" "renewal_attempt_status" NOT NULL,
    "error_code" TEXT,
    "error_message" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "renewal_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subscription_adjustment" (
    "id" UUID NOT NULL,
    "subscription_id" UUID NOT NULL,
    "description" TEXT NOT NULL,
    "amount" DECIMAL(14,2) NOT NULL,
    "tax_amount" DECIMAL(14,2) NOT NULL,
    "tax_rate_id" UUID,
    "tax_inclusive" BOOLEAN NOT NULL,
    "product_plan_id" UUID,
    "product_plan_price_id" UUID,
    "invoice_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "subscription_adjustment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "renewal_outlook" (
    "subscription_id" UUID NOT NULL,
    "expected_amount" DECIMAL(78,0),
    "balance" DECIMAL(78,0),
    "read_at" TIMESTAMPTZ(3),
    "warned_of" TIMESTAMPTZ(3),

    CONSTRAINT "renewal_outlook_pkey" PRIMARY KEY ("subscription_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "renewal_attempt_terms_hash_key" ON "renewal_attempt"("terms_hash");

-- CreateIndex
CREATE INDEX "renewal_attempt_subscription_id_status_idx" ON "renewal_attempt"("subscription_id", "status");

-- CreateIndex
CREATE INDEX "renewal_attempt_invoice_id_created_at_idx" ON "renewal_attempt"("invoice_id", "created_at");

-- CreateIndex
CREATE INDEX "subscription_adjustment_subscription_id_invoice_id_idx" ON "subscription_adjustment"("subscription_id", "invoice_id");

-- AddForeignKey
ALTER TABLE "renewal_attempt" ADD CONSTRAINT "renewal_attempt_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "subscription"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "renewal_attempt" ADD CONSTRAINT "renewal_attempt_invoice_id_fkey" FOREIGN KEY ("invoice_id") REFERENCES "invoice"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription_adjustment" ADD CONSTRAINT "subscription_adjustment_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "subscription"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription_adjustment" ADD CONSTRAINT "subscription_adjustment_invoice_id_fkey" FOREIGN KEY ("invoice_id") REFERENCES "invoice"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "renewal_outlook" ADD CONSTRAINT "renewal_outlook_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "subscription"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_next_plan_price_id_fkey" FOREIGN KEY ("next_plan_price_id") REFERENCES "product_plan_price"("id") ON DELETE SET NULL ON UPDATE CASCADE;
