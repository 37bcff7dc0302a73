-- AlterTable
ALTER TABLE "outgoing_attempt" ADD COLUMN     "cancels" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "nonce" BIGINT NOT NULL;

-- AlterTable
ALTER TABLE "outgoing_transaction" ADD COLUMN     "abandoned_at" TIMESTAMPTZ(3),
ADD COLUMN     "confirmed_at" TIMESTAMPTZ(3),
ADD COLUMN     "max_failures" INTEGER NOT NULL DEFAULT 5;

-- CreateTable
CREATE TABLE "dispute_request" (
    "id" UUID NOT NULL,
    "payment_intent_id" UUID NOT NULL,
    "terms_hash" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "evidence" TEXT,
    "signature" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dispute_request_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "queue_worker" (
    "id" TEXT NOT NULL,
    "beat_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "queue_worker_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "dispute_request_payment_intent_id_created_at_idx" ON "dispute_request"("payment_intent_id", "created_at");
