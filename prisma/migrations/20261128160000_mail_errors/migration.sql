-- Mails whose recipient was removed or has unsubscribed are cancelled, and errors are categories instead of the text of the mail server.
ALTER TYPE "mail_status" ADD VALUE 'CANCELLED';
UPDATE "mail" SET "error" = 'UNKNOWN' WHERE "error" IS NOT NULL;
