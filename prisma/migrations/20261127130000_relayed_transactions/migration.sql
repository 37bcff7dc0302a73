-- Whether any of the installation's sender keys may send the transaction, and when one of them took it. Existing rows stay with the key that
-- they were queued for.
ALTER TABLE "outgoing_transaction" ADD COLUMN "relayed" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "outgoing_transaction" ADD COLUMN "taken_at" TIMESTAMPTZ(3);
