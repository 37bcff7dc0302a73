ALTER TABLE "app" ADD COLUMN "transfer_quote_duration" INTEGER NOT NULL DEFAULT 3600;

CREATE TABLE "deposit_address" (
    "chain_id" INTEGER NOT NULL,
    "terms_hash" TEXT NOT NULL,
    "payment_intent_id" UUID NOT NULL,
    "quote_id" UUID NOT NULL,
    "address" TEXT NOT NULL,
    "token_key" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "refund_address" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "authorize_by" TIMESTAMPTZ(3) NOT NULL,
    "look_at" TIMESTAMPTZ(3) NOT NULL,
    "seen_number" BIGINT,
    "seen_hash" TEXT,
    "act_at" TIMESTAMPTZ(3),
    "stuck_since" TIMESTAMPTZ(3),
    "stuck_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),

    CONSTRAINT "deposit_address_pkey" PRIMARY KEY ("chain_id","terms_hash")
);

CREATE TABLE "deposit_balance" (
    "chain_id" INTEGER NOT NULL,
    "terms_hash" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "token_key" TEXT NOT NULL,
    "received" DECIMAL(78,0) NOT NULL DEFAULT 0,
    "returned" DECIMAL(78,0) NOT NULL DEFAULT 0,
    "held" DECIMAL(78,0) NOT NULL DEFAULT 0,

    CONSTRAINT "deposit_balance_pkey" PRIMARY KEY ("chain_id","terms_hash","token")
);

CREATE INDEX "deposit_address_payment_intent_id_created_at_idx" ON "deposit_address"("payment_intent_id", "created_at");

CREATE INDEX "deposit_address_chain_id_look_at_idx" ON "deposit_address"("chain_id", "look_at");

CREATE INDEX "deposit_address_act_at_idx" ON "deposit_address"("act_at");

CREATE INDEX "deposit_address_address_idx" ON "deposit_address"("address");

ALTER TABLE "deposit_address" ADD CONSTRAINT "deposit_address_payment_intent_id_fkey" FOREIGN KEY ("payment_intent_id") REFERENCES "payment_intent"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "deposit_balance" ADD CONSTRAINT "deposit_balance_chain_id_terms_hash_fkey" FOREIGN KEY ("chain_id", "terms_hash") REFERENCES "deposit_address"("chain_id", "terms_hash") ON DELETE RESTRICT ON UPDATE CASCADE;
