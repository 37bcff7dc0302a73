-- The attempt of a resource server to which the success of a payment was reported. The same attempt may ask again; any other is told that
-- the payment is replayed. An escrow payment is also bound to the 402 response that its client has answered.
ALTER TABLE "payment_intent" ADD COLUMN "x402_answered_to" TEXT,
  ADD COLUMN "x402_request_hash" TEXT;

ALTER TABLE "exact_authorization" ADD COLUMN "answered_to" TEXT;
