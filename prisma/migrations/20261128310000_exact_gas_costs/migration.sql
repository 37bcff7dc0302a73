-- What the installation's keys paid for the transfers of payments to other servers, which belong to no row of "transaction": one row for
-- each transfer, in base units of the chain's coin, and in USD.
CREATE TABLE "exact_gas_cost" (
    "outgoing_id" UUID NOT NULL,
    "authorization_id" UUID NOT NULL,
    "gas_cost_wei" DECIMAL(78,0) NOT NULL,
    "gas_cost_usd" DECIMAL(38,18),

    CONSTRAINT "exact_gas_cost_pkey" PRIMARY KEY ("outgoing_id")
);

CREATE INDEX "exact_gas_cost_authorization_id_idx" ON "exact_gas_cost"("authorization_id");

ALTER TABLE "exact_gas_cost" ADD CONSTRAINT "exact_gas_cost_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "exact_authorization"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
