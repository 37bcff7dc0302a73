-- Events of other resources that belong to a payment or a subscription, for followers that resume. Prisma cannot say this.
CREATE INDEX "event_of_payment_idx" ON "event"(("data"->>'paymentIntentId'), "sequence") WHERE "type" LIKE 'dispute.%';
CREATE INDEX "event_of_subscription_idx" ON "event"(("data"->>'subscriptionId'), "sequence") WHERE "data"->>'subscriptionId' IS NOT NULL;
