-- How many units of what a payment link sells a payer may buy, and how many the link may sell at all.
ALTER TABLE "payment_link"
  ADD COLUMN "minimum_quantity" INTEGER NOT NULL DEFAULT 1,
  ADD COLUMN "maximum_quantity" INTEGER NOT NULL DEFAULT 1,
  ADD COLUMN "stock" INTEGER,
  ADD COLUMN "reserved_quantity" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "sold_quantity" INTEGER NOT NULL DEFAULT 0;

ALTER TABLE "checkout_session" ADD COLUMN "reserved_quantity" INTEGER NOT NULL DEFAULT 0;

-- Until now, every session of a link was for one unit.
UPDATE "payment_link" SET "sold_quantity" = "usage_count" WHERE "usage_count" > 0;
UPDATE "checkout_session" SET "reserved_quantity" = 1
  WHERE "status" = 'OPEN' AND "mode" = 'PAYMENT' AND "source_type" = 'PAYMENT_LINK';
UPDATE "payment_link" link SET "reserved_quantity" = held.quantity
  FROM (SELECT "source_id", sum("reserved_quantity")::int AS quantity FROM "checkout_session"
        WHERE "status" = 'OPEN' AND "reserved_quantity" > 0 GROUP BY "source_id") held
  WHERE held."source_id" = link."id";
