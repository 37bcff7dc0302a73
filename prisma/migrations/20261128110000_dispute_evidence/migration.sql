-- Evidence of both sides of a dispute. It belongs to the payment, because a reorganization may delete the dispute and record it again.
CREATE TYPE "dispute_party" AS ENUM ('PAYER', 'MERCHANT');

CREATE TABLE "dispute_evidence" (
  "id" UUID NOT NULL,
  "payment_intent_id" UUID NOT NULL,
  "party" "dispute_party" NOT NULL,
  "submitted_by" TEXT,
  "text" TEXT,
  "order_facts" JSONB,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),
  CONSTRAINT "dispute_evidence_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "dispute_evidence_payment_intent_id_fkey" FOREIGN KEY ("payment_intent_id") REFERENCES "payment_intent"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "dispute_evidence_says_something" CHECK ("text" IS NOT NULL OR "order_facts" IS NOT NULL)
);
CREATE INDEX "dispute_evidence_payment_intent_id_id_idx" ON "dispute_evidence"("payment_intent_id", "id");

CREATE TABLE "dispute_file" (
  "id" UUID NOT NULL,
  "payment_intent_id" UUID NOT NULL,
  "party" "dispute_party" NOT NULL,
  "submitted_by" TEXT,
  "name" TEXT NOT NULL,
  "content_type" TEXT NOT NULL,
  "size_bytes" INTEGER NOT NULL,
  "sha256" BYTEA NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),
  CONSTRAINT "dispute_file_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "dispute_file_payment_intent_id_fkey" FOREIGN KEY ("payment_intent_id") REFERENCES "payment_intent"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "dispute_file_size" CHECK ("size_bytes" BETWEEN 1 AND 10485760)
);
CREATE INDEX "dispute_file_payment_intent_id_id_idx" ON "dispute_file"("payment_intent_id", "id");

-- The content of files, in pieces, so that neither a list nor a download reads a whole file into memory.
CREATE TABLE "dispute_file_piece" (
  "file_id" UUID NOT NULL,
  "place" INTEGER NOT NULL,
  "bytes" BYTEA NOT NULL,
  CONSTRAINT "dispute_file_piece_pkey" PRIMARY KEY ("file_id", "place"),
  CONSTRAINT "dispute_file_piece_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "dispute_file"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
-- PDF files and images are compressed already.
ALTER TABLE "dispute_file_piece" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;

-- Evidence is never changed. It may only be deleted, by hand, where the law demands it.
CREATE FUNCTION refuse_evidence_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Evidence of a dispute cannot be changed.';
END $$;
CREATE TRIGGER refuse_evidence_change BEFORE UPDATE ON "dispute_evidence" FOR EACH ROW EXECUTE FUNCTION refuse_evidence_change();
CREATE TRIGGER refuse_evidence_change BEFORE UPDATE ON "dispute_file" FOR EACH ROW EXECUTE FUNCTION refuse_evidence_change();
CREATE TRIGGER refuse_evidence_change BEFORE UPDATE ON "dispute_file_piece" FOR EACH ROW EXECUTE FUNCTION refuse_evidence_change();

-- When the event of the approaching deadline was appended.
ALTER TABLE "dispute" ADD COLUMN "warned_at" TIMESTAMPTZ(3);
