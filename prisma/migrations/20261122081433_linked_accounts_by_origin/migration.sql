-- DropIndex
DROP INDEX "linked_account_user_id_account_key";

-- AlterTable
ALTER TABLE "linked_account" ADD COLUMN     "client_origin" TEXT NOT NULL DEFAULT '';

-- CreateIndex
CREATE UNIQUE INDEX "linked_account_user_id_client_origin_account_key" ON "linked_account"("user_id", "client_origin", "account");
