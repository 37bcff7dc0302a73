-- What the installation's own keys paid for the gas of a transaction: in base units of the chain's coin, and in USD.
ALTER TABLE "transaction" ADD COLUMN "gas_cost_wei" DECIMAL(78,0);
ALTER TABLE "transaction" ADD COLUMN "gas_cost_usd" DECIMAL(38,18);
