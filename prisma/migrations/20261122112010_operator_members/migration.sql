-- AlterTable
ALTER TABLE "member" ADD COLUMN     "is_operator" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "event_app_id_request_id_idx" ON "event"("app_id", "request_id");
