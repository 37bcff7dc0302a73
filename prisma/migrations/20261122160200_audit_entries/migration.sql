-- CreateEnum
CREATE TYPE "audit_actor_kind" AS ENUM ('MEMBER', 'API_KEY', 'OPERATOR', 'ARBITER', 'COMMAND_LINE');

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" UUID NOT NULL,
    "merchant_id" UUID,
    "app_id" UUID,
    "actor_kind" "audit_actor_kind" NOT NULL,
    "actor_id" UUID,
    "actor_name" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target_type" TEXT NOT NULL,
    "target_id" TEXT,
    "before" JSONB,
    "after" JSONB,
    "address" TEXT,
    "user_agent" TEXT,
    "request_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "audit_entry_merchant_id_id_idx" ON "audit_entry"("merchant_id", "id");

-- CreateIndex
CREATE INDEX "audit_entry_merchant_id_action_id_idx" ON "audit_entry"("merchant_id", "action", "id");

-- CreateIndex
CREATE INDEX "audit_entry_merchant_id_created_at_idx" ON "audit_entry"("merchant_id", "created_at");

-- CreateIndex
CREATE INDEX "audit_entry_app_id_id_idx" ON "audit_entry"("app_id", "id");

-- CreateIndex
CREATE INDEX "audit_entry_target_id_idx" ON "audit_entry"("target_id");

-- Append-only, which Prisma cannot say: whoever changes a row, its owner too, is refused.
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_entry is append-only: % is refused', TG_OP USING ERRCODE = 'object_not_in_prerequisite_state';
END
$$;

CREATE TRIGGER "audit_entry_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_entry"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();

-- Also in a session that sets session_replication_role.
ALTER TABLE "audit_entry" ENABLE ALWAYS TRIGGER "audit_entry_append_only";
