-- What a transaction may need at most, where its callee is somebody else's code.
ALTER TABLE "outgoing_transaction" ADD COLUMN "max_gas" BIGINT;
