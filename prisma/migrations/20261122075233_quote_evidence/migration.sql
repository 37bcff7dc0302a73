-- AlterTable
ALTER TABLE "quote" ADD COLUMN     "evidence" JSONB NOT NULL DEFAULT '[]';
