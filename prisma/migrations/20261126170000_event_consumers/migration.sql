-- How far each consumer has followed each app's sequence (docs/decisions/0085).
CREATE TABLE "event_consumer" (
    "consumer" TEXT NOT NULL,
    "app_id" UUID NOT NULL,
    "position" BIGINT NOT NULL DEFAULT 0,
    "leased_until" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "error" TEXT,

    CONSTRAINT "event_consumer_pkey" PRIMARY KEY ("consumer","app_id")
);

-- An app gets its rows with its first event. Adding a consumer takes a migration that inserts its rows for the apps that exist and
-- replaces this function, so that it is decided where it begins.
CREATE FUNCTION add_event_consumers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_consumer (consumer, app_id)
  VALUES ('reactions', NEW.app_id), ('webhooks', NEW.app_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

-- Waits for the transactions that are appending events, and keeps others from beginning to until the rows below are inserted.
CREATE TRIGGER add_event_consumers AFTER INSERT ON "event_cursor"
  FOR EACH ROW EXECUTE FUNCTION add_event_consumers();

-- Of the events up to here a job was enqueued, which is done or still waits.
INSERT INTO event_consumer (consumer, app_id, position)
SELECT consumer, app_id, last_sequence FROM event_cursor, (VALUES ('reactions'), ('webhooks')) AS known(consumer)
ON CONFLICT DO NOTHING;
