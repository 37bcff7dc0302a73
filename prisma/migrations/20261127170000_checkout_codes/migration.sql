-- One-time codes with which a second browser, such as that of a wallet, takes over a checkout session.
CREATE TABLE "checkout_code" (
    "code_hash" BYTEA NOT NULL,
    "session_id" UUID NOT NULL,
    "sealed_secret" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "checkout_code_pkey" PRIMARY KEY ("code_hash"),
    CONSTRAINT "checkout_code_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "checkout_session"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX "checkout_code_session_id_created_at_idx" ON "checkout_code"("session_id", "created_at");
