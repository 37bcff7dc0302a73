-- The attempt of a resource server to which the success of a payment was reported. The same attempt may ask again; any other is told that
-- the payment is replayed. An escrow payment is also bound to the 402 response that its client has answered.
ALTER TABLE "payment_intent" ADD COLUMN "x402_answered_to" TEXT,
  ADD COLUMN "x402_request_hash" TEXT;

ALTER TABLE "exact_authorization" ADD COLUMN "answered_to" TEXT;

-- Open authorizations are read in pages.
DROP INDEX "exact_authorization_chain_id_status_valid_before_idx";

CREATE INDEX "exact_authorization_chain_id_status_valid_before_id_idx" ON "exact_authorization"("chain_id", "status", "valid_before", "id");
