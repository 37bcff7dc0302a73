-- CreateTable
CREATE TABLE "payout_acknowledgement" (
    "id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "recipient" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "token_key" TEXT NOT NULL,
    "covers_until" TIMESTAMPTZ(3) NOT NULL,
    "note" TEXT NOT NULL,
    "acknowledged_by" TEXT NOT NULL,
    "acknowledged_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payout_acknowledgement_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "payout_acknowledgement_chain_id_recipient_token_key" ON "payout_acknowledgement"("chain_id", "recipient", "token");
