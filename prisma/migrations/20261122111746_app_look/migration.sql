-- AlterTable
ALTER TABLE "app" ADD COLUMN     "accent_color" TEXT,
ADD COLUMN     "logo_url" TEXT;
