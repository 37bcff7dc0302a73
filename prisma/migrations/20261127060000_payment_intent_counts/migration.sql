-- The number of payment intents per app and status, as a sum of changes (docs/decisions/0092). Every statement that inserts, deletes or
-- moves payment intents adds rows in its own transaction, so the sum is exact in every snapshot and concurrent writers of one app do
-- not wait for each other.
CREATE TABLE "payment_intent_count" (
    "id" BIGSERIAL NOT NULL,
    "app_id" UUID NOT NULL,
    "status" "payment_intent_status" NOT NULL,
    "change" BIGINT NOT NULL,

    CONSTRAINT "payment_intent_count_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "payment_intent_count_app_id_status_idx" ON "payment_intent_count"("app_id", "status");
-- Merging leaves dead rows in a small table.
ALTER TABLE "payment_intent_count" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Replaces the rows of an app by one per status. Rows that another transaction is merging are left to it.
CREATE FUNCTION merge_payment_intent_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH taken AS (
    SELECT id FROM payment_intent_count WHERE app_id = NEW.app_id FOR UPDATE SKIP LOCKED
  ), merged AS (
    DELETE FROM payment_intent_count USING taken WHERE payment_intent_count.id = taken.id RETURNING status, change
  )
  INSERT INTO payment_intent_count (app_id, status, change)
  SELECT NEW.app_id, status, sum(change) FROM merged GROUP BY status HAVING sum(change) <> 0;
  RETURN NULL;
END
$$;

-- One added row in 128, by a hash: with every 128th id, an app whose rows always get odd ids would never be merged.
CREATE TRIGGER merge_counts AFTER INSERT ON "payment_intent_count" FOR EACH ROW
  WHEN (hashint8(NEW.id) & 127 = 0) EXECUTE FUNCTION merge_payment_intent_counts();

CREATE FUNCTION count_payment_intents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_intent_count (app_id, status, change)
  SELECT app_id, status, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed GROUP BY app_id, status;
  RETURN NULL;
END
$$;

CREATE FUNCTION count_moved_payment_intent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_intent_count (app_id, status, change)
  VALUES (OLD.app_id, OLD.status, -1), (NEW.app_id, NEW.status, 1);
  RETURN NULL;
END
$$;

CREATE FUNCTION forget_payment_intent_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM payment_intent_count;
  RETURN NULL;
END
$$;

-- Creating a trigger waits for the transactions that write payment intents and keeps others from beginning to, so that the counts below
-- miss none and count none twice.
CREATE TRIGGER count_inserted AFTER INSERT ON "payment_intent"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_payment_intents();
CREATE TRIGGER count_deleted AFTER DELETE ON "payment_intent"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_payment_intents();
CREATE TRIGGER count_moved AFTER UPDATE OF "app_id", "status" ON "payment_intent" FOR EACH ROW
  WHEN ((OLD.app_id, OLD.status) IS DISTINCT FROM (NEW.app_id, NEW.status)) EXECUTE FUNCTION count_moved_payment_intent();
CREATE TRIGGER count_truncated AFTER TRUNCATE ON "payment_intent"
  FOR EACH STATEMENT EXECUTE FUNCTION forget_payment_intent_counts();

INSERT INTO payment_intent_count (app_id, status, change)
SELECT app_id, status, count(*) FROM payment_intent GROUP BY app_id, status;
