-- Money that reached a payment intent without being its payment: paid twice, too much, too little, in another token, or too late.
CREATE TYPE "stray_kind" AS ENUM ('MISPAID', 'LATE');

CREATE TABLE "stray_payment" (
    "payment_intent_id" UUID NOT NULL,
    "kind" "stray_kind" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),

    CONSTRAINT "stray_payment_pkey" PRIMARY KEY ("payment_intent_id", "kind")
);
CREATE INDEX "stray_payment_kind_payment_intent_id_idx" ON "stray_payment"("kind", "payment_intent_id");
ALTER TABLE "stray_payment" ADD CONSTRAINT "stray_payment_payment_intent_id_fkey"
  FOREIGN KEY ("payment_intent_id") REFERENCES "payment_intent"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Payments of the past, by the events that reported them. Those that were never paid count as late.
INSERT INTO "stray_payment" ("payment_intent_id", "kind", "created_at")
SELECT intent.id,
  CASE WHEN intent.status = 'CANCELLED' AND intent.accepted_terms_hash IS NULL THEN 'LATE' ELSE 'MISPAID' END::"stray_kind",
  min(event.created_at)
FROM "event" JOIN "payment_intent" intent ON intent.id = event.resource_id
WHERE event.type IN ('payment_intent.mispaid', 'payment_intent.overpaid')
GROUP BY 1, 2;

-- Payments with a refund, for the filter PARTIALLY_REFUNDED. Prisma cannot declare a partial index.
CREATE INDEX "payment_intent_refunded_idx" ON "payment_intent"("app_id", "id") WHERE "refunded_at" IS NOT NULL;

-- Subscriptions whose renewal failed.
CREATE INDEX "subscription_app_id_capture_retry_count_idx" ON "subscription"("app_id", "capture_retry_count");
