-- Paid API calls cost less than a cent. Without a precision the column takes any number of digits, and the table is not rewritten.
ALTER TABLE "payment_intent" ALTER COLUMN "amount" TYPE DECIMAL,
  -- The precision that it had, and four decimals more for paid calls. Existing rows had it by their type and need no check.
  ADD CONSTRAINT "payment_intent_amount_digits"
    CHECK ("amount" < 1000000000000 AND "amount" = round("amount", CASE WHEN "x402_scheme" IS NULL THEN 2 ELSE 6 END)) NOT VALID;

-- The prices that the amount of an exact payment was computed from. Quotes keep those of all other payments.
ALTER TABLE "exact_authorization" ADD COLUMN "evidence" JSONB;
