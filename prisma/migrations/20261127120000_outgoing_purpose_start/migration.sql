-- The returns of a deposit are found by the beginning of their purpose, for which the unique index serves only under the collation "C".
CREATE INDEX "outgoing_transaction_purpose_start_idx" ON "outgoing_transaction"("purpose" COLLATE "C");
