-- A payer can replace the consent of a running subscription: which session does so, when a consent was replaced, under which
-- consent each attempt was made, and when a payer asked for another attempt.
ALTER TABLE "checkout_session" ADD COLUMN "renews_consent" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "subscription" ADD COLUMN "retry_requested_at" TIMESTAMPTZ(3);

ALTER TABLE "subscription_consent" ADD COLUMN "replaced_at" TIMESTAMPTZ(3);

ALTER TABLE "renewal_attempt" ADD COLUMN "consent_id" TEXT;
-- Until now, a subscription had one consent only.
UPDATE "renewal_attempt" SET "consent_id" = "subscription"."consent_id"
FROM "subscription" WHERE "subscription"."id" = "renewal_attempt"."subscription_id";
