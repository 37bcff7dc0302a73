-- The gateway's clock: the real time, and what the test clock is ahead of it. Of the statement, so that what one statement
-- writes has one instant.
CREATE FUNCTION gateway_now() RETURNS timestamptz LANGUAGE sql VOLATILE
BEGIN ATOMIC
  SELECT statement_timestamp() + coalesce((SELECT offset_ms FROM test_clock WHERE id = 1), 0) * interval '1 millisecond';
END;

-- Never earlier than it was: a statement that waited for the row began before the one that it waited for.
CREATE FUNCTION touch_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.updated_at IS NOT DISTINCT FROM OLD.updated_at THEN
    NEW.updated_at = greatest(OLD.updated_at, NEW.created_at, gateway_now());
  END IF;
  RETURN NEW;
END
$$;

ALTER TABLE "api_key" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "app" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "app" ALTER COLUMN "updated_at" SET DEFAULT gateway_now();
ALTER TABLE "audit_entry" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "checkout_session" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "checkout_session" ALTER COLUMN "updated_at" SET DEFAULT gateway_now();
ALTER TABLE "credited_payout" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "customer_account" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "customer_account" ALTER COLUMN "updated_at" SET DEFAULT gateway_now();
ALTER TABLE "customer_wallet" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "customer_wallet" ALTER COLUMN "updated_at" SET DEFAULT gateway_now();
ALTER TABLE "dispute" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "dispute_request" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "event" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "invoice" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "invoice" ALTER COLUMN "updated_at" SET DEFAULT gateway_now();
ALTER TABLE "ledger_entry" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "member" ALTER COLUMN "invited_at" SET DEFAULT gateway_now();
ALTER TABLE "merchant" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "merchant" ALTER COLUMN "updated_at" SET DEFAULT gateway_now();
ALTER TABLE "payment_intent" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "payment_intent" ALTER COLUMN "updated_at" SET DEFAULT gateway_now();
ALTER TABLE "payment_link" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "payment_link" ALTER COLUMN "updated_at" SET DEFAULT gateway_now();
ALTER TABLE "payment_terms" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "payout_address" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "payout_address" ALTER COLUMN "updated_at" SET DEFAULT gateway_now();
ALTER TABLE "platform_credential" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "product_plan" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "product_plan" ALTER COLUMN "updated_at" SET DEFAULT gateway_now();
ALTER TABLE "product_plan_price" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "product_plan_price" ALTER COLUMN "updated_at" SET DEFAULT gateway_now();
ALTER TABLE "quote" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "refund" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "subscription" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "subscription" ALTER COLUMN "updated_at" SET DEFAULT gateway_now();
ALTER TABLE "subscription_consent" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "tax_rate" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "tax_rate" ALTER COLUMN "updated_at" SET DEFAULT gateway_now();
ALTER TABLE "transaction" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "webhook_attempt" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "webhook_delivery" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "webhook_endpoint" ALTER COLUMN "created_at" SET DEFAULT gateway_now();
ALTER TABLE "webhook_endpoint" ALTER COLUMN "updated_at" SET DEFAULT gateway_now();

CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "app" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "checkout_session" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "customer_account" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "customer_wallet" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "invoice" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "merchant" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "payment_intent" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "payment_link" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "payout_address" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "product_plan" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "product_plan_price" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "subscription" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "tax_rate" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
-- Leases, pauses and the place in the sequence are no changes of the endpoint.
CREATE TRIGGER touch_updated_at BEFORE UPDATE OF url, events, active, ordered, secret, previous_secret, disabled_reason
  ON "webhook_endpoint" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
