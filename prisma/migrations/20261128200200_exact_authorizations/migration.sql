CREATE TYPE "exact_status" AS ENUM ('PENDING', 'SETTLED', 'FAILED');

CREATE TYPE "exact_failure" AS ENUM ('CANCELED', 'NONCE_USED', 'EXPIRED');

CREATE TABLE "exact_authorization" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "payment_intent_id" UUID,
    "chain_id" INTEGER NOT NULL,
    "token_key" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "payer" TEXT NOT NULL,
    "pay_to" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "valid_after" BIGINT NOT NULL,
    "valid_before" BIGINT NOT NULL,
    "nonce" TEXT NOT NULL,
    "signature" TEXT NOT NULL,
    "payment_key" TEXT NOT NULL,
    "purpose" TEXT NOT NULL,
    "resource" TEXT,
    "identifier" TEXT,
    "status" "exact_status" NOT NULL DEFAULT 'PENDING',
    "failure" "exact_failure",
    "from_number" BIGINT NOT NULL,
    "tx_hash" TEXT,
    "block_number" BIGINT,
    "block_hash" TEXT,
    "settled_at" TIMESTAMPTZ(3),
    "exchange_rate" DECIMAL(38,18),
    "value_usd" DECIMAL(38,18),
    "fee_bps" INTEGER,
    "fee_amount" DECIMAL(78,0),
    "answered_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),

    CONSTRAINT "exact_authorization_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "exact_authorization_failure_check" CHECK (("status" = 'FAILED') = ("failure" IS NOT NULL)),
    CONSTRAINT "exact_authorization_fee_check" CHECK (("payment_intent_id" IS NULL) = ("fee_bps" IS NOT NULL))
);

CREATE UNIQUE INDEX "exact_authorization_payment_intent_id_key" ON "exact_authorization"("payment_intent_id");

CREATE UNIQUE INDEX "exact_authorization_chain_id_token_payer_nonce_key" ON "exact_authorization"("chain_id", "token", "payer", "nonce");

CREATE UNIQUE INDEX "exact_authorization_chain_id_payment_key_key" ON "exact_authorization"("chain_id", "payment_key");

CREATE INDEX "exact_authorization_chain_id_status_valid_before_idx" ON "exact_authorization"("chain_id", "status", "valid_before");

CREATE INDEX "exact_authorization_app_id_created_at_idx" ON "exact_authorization"("app_id", "created_at");

ALTER TABLE "exact_authorization" ADD CONSTRAINT "exact_authorization_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "exact_authorization" ADD CONSTRAINT "exact_authorization_payment_intent_id_fkey" FOREIGN KEY ("payment_intent_id") REFERENCES "payment_intent"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "exact_authorization" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- The reconciliation also reads the transfers that went directly to merchants.
DROP INDEX "chain_fact_payout_idx";

CREATE INDEX "chain_fact_payout_idx" ON "chain_fact"("chain_id", "block_timestamp", "block_number", "log_index")
  WHERE "kind" IN ('Settled', 'Resolved', 'Credited', 'Claimed', 'TransferredWithAuthorization');
