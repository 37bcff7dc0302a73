-- Searches for a part of a text without an extension: GIN indexes of all parts of three characters.
CREATE FUNCTION "text_parts"("value" text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(DISTINCT substr("lowered", "start", 3)), '{}')
  FROM lower("value") AS "lowered", generate_series(1, length("lowered") - 2) AS "start"
$$;

-- Prisma cannot express these in its schema.
CREATE INDEX "payment_intent_reference_parts_idx" ON "payment_intent" USING gin (text_parts("external_id")) WHERE "external_id" IS NOT NULL;
CREATE INDEX "customer_account_name_parts_idx" ON "customer_account" USING gin (text_parts("name")) WHERE "name" IS NOT NULL;
CREATE INDEX "customer_account_email_parts_idx" ON "customer_account" USING gin (text_parts("email")) WHERE "email" IS NOT NULL;
