-- How far an app's events have been moved to files, and the files.
ALTER TABLE "event_cursor" ADD COLUMN "archived_sequence" BIGINT NOT NULL DEFAULT 0, ADD COLUMN "archived_until" TIMESTAMPTZ(3);

CREATE TABLE "event_archive_file" (
    "app_id" UUID NOT NULL,
    "first_sequence" BIGINT NOT NULL,
    "last_sequence" BIGINT NOT NULL,
    "event_count" INTEGER NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "folder" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sha256" TEXT,
    "size_bytes" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),

    CONSTRAINT "event_archive_file_pkey" PRIMARY KEY ("app_id", "first_sequence")
);

-- Deleting an event checks that no delivery of it is left.
CREATE INDEX "webhook_delivery_event_id_idx" ON "webhook_delivery"("event_id");
