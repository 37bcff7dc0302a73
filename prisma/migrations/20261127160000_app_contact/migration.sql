-- AlterTable
ALTER TABLE "app" ADD COLUMN     "support_email" TEXT,
ADD COLUMN     "support_url" TEXT,
ADD COLUMN     "website_url" TEXT;
