-- A sender's queue is read in the order of its IDs. Without the ID in the index, Postgres may walk through all transactions in that order.
CREATE INDEX "outgoing_transaction_chain_id_sender_status_id_idx" ON "outgoing_transaction"("chain_id", "sender", "status", "id");

DROP INDEX "outgoing_transaction_chain_id_sender_status_idx";
