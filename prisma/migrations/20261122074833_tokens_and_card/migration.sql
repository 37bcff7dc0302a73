-- CreateEnum
CREATE TYPE "onetime_status" AS ENUM ('PENDING', 'SIGNED', 'REJECTED');

-- CreateEnum
CREATE TYPE "one_time_password_purpose" AS ENUM ('CARD', 'DASHBOARD');

-- CreateTable
CREATE TABLE "card_user" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "display_name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "card_user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "card_session" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "client_origin" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "card_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "linked_account" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "session_id" UUID,
    "account" TEXT NOT NULL,
    "label" TEXT,
    "linked_at" TIMESTAMPTZ(3) NOT NULL,
    "unlinked_at" TIMESTAMPTZ(3),

    CONSTRAINT "linked_account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account_proof" (
    "account" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_proof_pkey" PRIMARY KEY ("account","nonce")
);

-- CreateTable
CREATE TABLE "onetime_request" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "client_origin" TEXT NOT NULL,
    "chain_id" TEXT NOT NULL,
    "account" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "params" JSONB NOT NULL,
    "status" "onetime_status" NOT NULL DEFAULT 'PENDING',
    "display" JSONB NOT NULL,
    "signature" TEXT,
    "encoding" TEXT,
    "tx_hash" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),

    CONSTRAINT "onetime_request_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "signing_key" (
    "kid" TEXT NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "sealed_private" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("kid")
);

-- CreateTable
CREATE TABLE "one_time_password" (
    "id" UUID NOT NULL,
    "purpose" "one_time_password_purpose" NOT NULL,
    "email" TEXT NOT NULL,
    "code_hash" BYTEA NOT NULL,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "spent_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "one_time_password_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "member_session" (
    "id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "member_session_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "card_user_email_key" ON "card_user"("email");

-- CreateIndex
CREATE INDEX "card_session_user_id_created_at_idx" ON "card_session"("user_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "linked_account_user_id_account_key" ON "linked_account"("user_id", "account");

-- CreateIndex
CREATE INDEX "account_proof_created_at_idx" ON "account_proof"("created_at");

-- CreateIndex
CREATE INDEX "onetime_request_user_id_id_idx" ON "onetime_request"("user_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "onetime_request_chain_id_tx_hash_key" ON "onetime_request"("chain_id", "tx_hash");

-- CreateIndex
CREATE INDEX "signing_key_created_at_idx" ON "signing_key"("created_at");

-- CreateIndex
CREATE INDEX "one_time_password_email_created_at_idx" ON "one_time_password"("email", "created_at");

-- CreateIndex
CREATE INDEX "member_session_member_id_idx" ON "member_session"("member_id");

-- AddForeignKey
ALTER TABLE "card_session" ADD CONSTRAINT "card_session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "card_user"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "linked_account" ADD CONSTRAINT "linked_account_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "card_user"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "linked_account" ADD CONSTRAINT "linked_account_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "card_session"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "onetime_request" ADD CONSTRAINT "onetime_request_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "card_user"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "member_session" ADD CONSTRAINT "member_session_member_id_fkey" FOREIGN KEY ("member_id") REFERENCES "member"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
