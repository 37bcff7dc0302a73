-- What the installation owed at a final block, and the proof of it for each app.
CREATE TABLE "liability_snapshot" (
  "id" UUID NOT NULL,
  "chain_id" INTEGER NOT NULL,
  "block_number" BIGINT NOT NULL,
  "block_hash" TEXT NOT NULL,
  "block_timestamp" BIGINT NOT NULL,
  "escrow" TEXT NOT NULL,
  "operators" TEXT[] NOT NULL,
  "digest" TEXT NOT NULL,
  "previous_digest" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "liability_snapshot_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "liability_snapshot_chain_id_block_number_key" ON "liability_snapshot"("chain_id", "block_number");
CREATE INDEX "liability_snapshot_created_at_idx" ON "liability_snapshot"("created_at");

CREATE TABLE "liability_total" (
  "snapshot_id" UUID NOT NULL,
  "token_key" TEXT NOT NULL,
  "token_address" TEXT NOT NULL,
  "decimals" INTEGER,
  "held" DECIMAL(78,0) NOT NULL,
  "captured" DECIMAL(78,0) NOT NULL,
  "disputed" DECIMAL(78,0) NOT NULL,
  "undelivered" DECIMAL(78,0) NOT NULL,
  "escrow_balance" DECIMAL(78,0) NOT NULL,
  "root_hash" TEXT NOT NULL,
  CONSTRAINT "liability_total_pkey" PRIMARY KEY ("snapshot_id", "token_key"),
  CONSTRAINT "liability_total_snapshot_id_fkey" FOREIGN KEY ("snapshot_id") REFERENCES "liability_snapshot"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "liability_account" (
  "snapshot_id" UUID NOT NULL,
  "token_key" TEXT NOT NULL,
  "app_id" UUID NOT NULL,
  "statement" TEXT[] NOT NULL,
  "pieces" JSONB NOT NULL,
  CONSTRAINT "liability_account_pkey" PRIMARY KEY ("snapshot_id", "token_key", "app_id"),
  CONSTRAINT "liability_account_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "liability_account_snapshot_id_token_key_fkey" FOREIGN KEY ("snapshot_id", "token_key") REFERENCES "liability_total"("snapshot_id", "token_key") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "liability_account_app_id_snapshot_id_idx" ON "liability_account"("app_id", "snapshot_id");
