-- AlterTable
ALTER TABLE "subscription" ADD COLUMN     "consent_id" TEXT;

-- CreateTable
CREATE TABLE "subscription_consent" (
    "consent_id" TEXT NOT NULL,
    "subscription_id" UUID NOT NULL,
    "session_id" UUID,
    "quote_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "token_key" TEXT NOT NULL,
    "wallet_address" TEXT NOT NULL,
    "method" "authorization_method" NOT NULL,
    "consent" JSONB NOT NULL,
    "cap_per_period" DECIMAL(78,0) NOT NULL,
    "crypto_amount" DECIMAL(78,0) NOT NULL,
    "exchange_rate" DECIMAL(38,18) NOT NULL,
    "quote_expires_at" TIMESTAMPTZ(3) NOT NULL,
    "payer_signature" TEXT,
    "permit_value" DECIMAL(78,0),
    "permit_deadline" TIMESTAMPTZ(3),
    "permit_nonce" TEXT,
    "permit_signature" TEXT,
    "last_charged_period" INTEGER,
    "signed_at" TIMESTAMPTZ(3),
    "accepted_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subscription_consent_pkey" PRIMARY KEY ("consent_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "subscription_consent_quote_id_key" ON "subscription_consent"("quote_id");

-- CreateIndex
CREATE INDEX "subscription_consent_subscription_id_created_at_idx" ON "subscription_consent"("subscription_id", "created_at");

-- CreateIndex
CREATE INDEX "subscription_consent_session_id_idx" ON "subscription_consent"("session_id");

-- CreateIndex
CREATE INDEX "subscription_consent_chain_id_wallet_address_idx" ON "subscription_consent"("chain_id", "wallet_address");

-- CreateIndex
CREATE UNIQUE INDEX "subscription_consent_id_key" ON "subscription"("consent_id");

-- AddForeignKey
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_consent_id_fkey" FOREIGN KEY ("consent_id") REFERENCES "subscription_consent"("consent_id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription_consent" ADD CONSTRAINT "subscription_consent_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "subscription"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
