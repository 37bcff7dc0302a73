-- The merchant's own wording on the hosted page, on receipts, and at the end of emails and invoices.
ALTER TABLE "app"
  ADD COLUMN "checkout_heading" TEXT,
  ADD COLUMN "checkout_message" TEXT,
  ADD COLUMN "receipt_message" TEXT,
  ADD COLUMN "footer_text" TEXT;
