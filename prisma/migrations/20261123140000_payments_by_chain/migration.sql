-- An id of the contract's second edition names no chain: payments, consents and what refers to them are keyed by both.
-- What is here already was signed for the first edition. None of it is open: deploying migrations refuses before this one.

-- The edition that terms and consents were signed for. Payments on Solana are of no contract.
ALTER TABLE "payment_terms" ADD COLUMN "edition" SMALLINT NOT NULL DEFAULT 1;
ALTER TABLE "payment_terms" ALTER COLUMN "edition" SET DEFAULT 2;
UPDATE "payment_terms" SET "edition" = 2 WHERE "terms" ->> 'vault' IS NOT NULL;
ALTER TABLE "subscription_consent" ADD COLUMN "edition" SMALLINT NOT NULL DEFAULT 1;
ALTER TABLE "subscription_consent" ALTER COLUMN "edition" SET DEFAULT 2;

-- Rows that named a payment without its chain. Until now a hash was of one chain.
ALTER TABLE "dispute_request" ADD COLUMN "chain_id" INTEGER;
UPDATE "dispute_request" SET "chain_id" = "terms"."chain_id" FROM "payment_terms" "terms"
  WHERE "terms"."terms_hash" = "dispute_request"."terms_hash";
DELETE FROM "dispute_request" WHERE "chain_id" IS NULL;
ALTER TABLE "dispute_request" ALTER COLUMN "chain_id" SET NOT NULL;
ALTER TABLE "renewal_attempt" ADD COLUMN "chain_id" INTEGER;
UPDATE "renewal_attempt" SET "chain_id" = "terms"."chain_id" FROM "payment_terms" "terms"
  WHERE "terms"."terms_hash" = "renewal_attempt"."terms_hash";
UPDATE "payment_intent" SET "authorization_chain_id" = "terms"."chain_id" FROM "payment_terms" "terms"
  WHERE "terms"."terms_hash" = "payment_intent"."accepted_terms_hash" AND "payment_intent"."authorization_chain_id" IS NULL;
UPDATE "subscription" SET "authorization_chain_id" = "consent"."chain_id" FROM "subscription_consent" "consent"
  WHERE "consent"."consent_id" = "subscription"."consent_id";

-- Keys.
ALTER TABLE "payment_terms" DROP CONSTRAINT "payment_terms_pkey",
  ADD CONSTRAINT "payment_terms_pkey" PRIMARY KEY ("chain_id", "terms_hash");
ALTER TABLE "solana_watch" DROP CONSTRAINT "solana_watch_pkey",
  ADD CONSTRAINT "solana_watch_pkey" PRIMARY KEY ("chain_id", "terms_hash");
ALTER TABLE "subscription" DROP CONSTRAINT "subscription_consent_id_fkey";
DROP INDEX "subscription_consent_id_key";
ALTER TABLE "subscription_consent" DROP CONSTRAINT "subscription_consent_pkey",
  ADD CONSTRAINT "subscription_consent_pkey" PRIMARY KEY ("chain_id", "consent_id");
CREATE UNIQUE INDEX "subscription_authorization_chain_id_consent_id_key" ON "subscription"("authorization_chain_id", "consent_id");
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_authorization_chain_id_consent_id_fkey"
  FOREIGN KEY ("authorization_chain_id", "consent_id") REFERENCES "subscription_consent"("chain_id", "consent_id")
  ON DELETE SET NULL ON UPDATE CASCADE;
DROP INDEX "renewal_attempt_terms_hash_key";
CREATE UNIQUE INDEX "renewal_attempt_chain_id_terms_hash_key" ON "renewal_attempt"("chain_id", "terms_hash");

-- Indexes.
CREATE INDEX "payment_terms_terms_hash_idx" ON "payment_terms"("terms_hash");
DROP INDEX "transaction_terms_hash_idx";
CREATE INDEX "transaction_chain_id_terms_hash_idx" ON "transaction"("chain_id", "terms_hash");
DROP INDEX "ledger_entry_terms_hash_idx";
CREATE INDEX "ledger_entry_chain_id_terms_hash_idx" ON "ledger_entry"("chain_id", "terms_hash");

-- Such a job named a payment without its chain; the sweeps queue what is still to be returned.
DO $$
BEGIN
  IF to_regclass('graphile_worker._private_jobs') IS NOT NULL THEN
    DELETE FROM graphile_worker._private_jobs WHERE key LIKE 'return:0x%' AND locked_at IS NULL;
  END IF;
END
$$;
