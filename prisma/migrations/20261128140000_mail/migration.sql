-- Retry rules of renewals, mails to payers and members, and what each of them may switch.
CREATE TYPE "renewal_retry_end" AS ENUM ('CANCEL', 'PAUSE', 'LEAVE_PAST_DUE');
ALTER TABLE "app"
  ADD COLUMN "renewal_retry_steps" INTEGER[] NOT NULL DEFAULT '{}',
  ADD COLUMN "renewal_retry_end" "renewal_retry_end" NOT NULL DEFAULT 'CANCEL';

ALTER TABLE "customer_account" ADD COLUMN "locale" TEXT CHECK ("locale" IN ('en', 'de'));

CREATE TABLE "mail_settings" (
  "app_id" UUID NOT NULL,
  "kinds" TEXT[] NOT NULL DEFAULT '{}',
  "from_name" TEXT,
  "reply_to" TEXT,
  "language" TEXT NOT NULL DEFAULT 'en',
  "reminder_days" INTEGER NOT NULL DEFAULT 3,
  "reminders_since" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),
  CONSTRAINT "mail_settings_pkey" PRIMARY KEY ("app_id"),
  CONSTRAINT "mail_settings_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE TABLE "member_notifications" (
  "member_id" UUID NOT NULL,
  "kinds" TEXT[] NOT NULL DEFAULT '{}',
  "language" TEXT NOT NULL DEFAULT 'en',
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),
  CONSTRAINT "member_notifications_pkey" PRIMARY KEY ("member_id"),
  CONSTRAINT "member_notifications_member_id_fkey" FOREIGN KEY ("member_id") REFERENCES "member"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE TYPE "mail_status" AS ENUM ('QUEUED', 'HELD', 'SENT', 'SUMMARIZED', 'FAILED');
CREATE TABLE "mail" (
  "id" UUID NOT NULL,
  "app_id" UUID,
  "member_id" UUID,
  "source" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "recipient" TEXT NOT NULL,
  "language" TEXT NOT NULL,
  "status" "mail_status" NOT NULL DEFAULT 'QUEUED',
  "resource_id" UUID,
  "content" JSONB,
  "tries" INTEGER NOT NULL DEFAULT 0,
  "error" TEXT,
  "leased_until" TIMESTAMPTZ(3),
  "next_try_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),
  "sent_at" TIMESTAMPTZ(3),
  CONSTRAINT "mail_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "mail_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "mail_member_id_fkey" FOREIGN KEY ("member_id") REFERENCES "member"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "mail_source_kind_recipient_key" ON "mail"("source", "kind", "recipient");
CREATE INDEX "mail_app_id_id_idx" ON "mail"("app_id", "id");
CREATE INDEX "mail_member_id_status_created_at_idx" ON "mail"("member_id", "status", "created_at");
CREATE INDEX "mail_queued_idx" ON "mail"("created_at") WHERE "status" = 'QUEUED';
CREATE INDEX "mail_created_at_idx" ON "mail"("created_at");

CREATE TABLE "mail_opt_out" (
  "app_id" UUID NOT NULL,
  "email" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT gateway_now(),
  CONSTRAINT "mail_opt_out_pkey" PRIMARY KEY ("app_id", "email"),
  CONSTRAINT "mail_opt_out_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "mail_settings" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON "member_notifications" FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
