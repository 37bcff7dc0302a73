-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "plan_type" AS ENUM ('ONE_TIME', 'SUBSCRIPTION');

-- CreateEnum
CREATE TYPE "billing_interval" AS ENUM ('MINUTE', 'DAY', 'WEEK', 'MONTH', 'YEAR');

-- CreateEnum
CREATE TYPE "checkout_mode" AS ENUM ('PAYMENT', 'SUBSCRIPTION');

-- CreateEnum
CREATE TYPE "checkout_ui_mode" AS ENUM ('HOSTED', 'HEADLESS');

-- CreateEnum
CREATE TYPE "checkout_session_status" AS ENUM ('OPEN', 'COMPLETE', 'EXPIRED');

-- CreateEnum
CREATE TYPE "wallet_authorization_type" AS ENUM ('PERMIT', 'APPROVAL');

-- CreateEnum
CREATE TYPE "webhook_delivery_status" AS ENUM ('PENDING', 'DELIVERED', 'FAILED');

-- CreateEnum
CREATE TYPE "fact_status" AS ENUM ('SEEN', 'CONFIRMED', 'FINAL', 'ORPHANED');

-- CreateEnum
CREATE TYPE "outgoing_status" AS ENUM ('QUEUED', 'SIGNED', 'SENT', 'MINED', 'FINAL', 'FAILED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "app_mode" AS ENUM ('TEST', 'LIVE');

-- CreateEnum
CREATE TYPE "chain_family" AS ENUM ('EVM', 'SOLANA', 'SUI');

-- CreateEnum
CREATE TYPE "api_key_kind" AS ENUM ('SECRET', 'PUBLISHABLE');

-- CreateEnum
CREATE TYPE "member_role" AS ENUM ('OWNER', 'DEVELOPER', 'VIEWER');

-- CreateEnum
CREATE TYPE "platform_role" AS ENUM ('OPERATOR', 'ARBITER');

-- CreateEnum
CREATE TYPE "invoice_status" AS ENUM ('DRAFT', 'OPEN', 'PAID', 'PAST_DUE', 'VOID', 'UNCOLLECTIBLE');

-- CreateEnum
CREATE TYPE "payment_intent_status" AS ENUM ('CREATED', 'AUTHORIZED', 'CAPTURED', 'SETTLED', 'CANCELLED', 'REFUND_PENDING', 'REFUNDED', 'FAILED');

-- CreateEnum
CREATE TYPE "capture_mode" AS ENUM ('AUTOMATIC', 'MANUAL');

-- CreateEnum
CREATE TYPE "authorization_method" AS ENUM ('DIRECT', 'PERMIT', 'APPROVAL');

-- CreateEnum
CREATE TYPE "payment_source_type" AS ENUM ('CHECKOUT', 'PAYMENT_LINK', 'INVOICE', 'SUBSCRIPTION');

-- CreateEnum
CREATE TYPE "transaction_type" AS ENUM ('AUTHORIZE', 'CAPTURE', 'SETTLE', 'VOID', 'RECLAIM', 'REFUND', 'DISPUTE', 'RESOLVE');

-- CreateEnum
CREATE TYPE "transaction_status" AS ENUM ('PENDING', 'CONFIRMED', 'FAILED', 'REORGED');

-- CreateEnum
CREATE TYPE "refund_status" AS ENUM ('PENDING', 'CONFIRMED', 'FAILED');

-- CreateEnum
CREATE TYPE "dispute_status" AS ENUM ('OPEN', 'RESOLVED_MERCHANT', 'RESOLVED_PAYER', 'RESOLVED_SPLIT');

-- CreateEnum
CREATE TYPE "ledger_account" AS ENUM ('PAYER', 'ESCROW', 'MERCHANT', 'FEE');

-- CreateEnum
CREATE TYPE "subscription_status" AS ENUM ('PENDING', 'ACTIVE', 'PAUSED', 'CANCELLED', 'PAST_DUE');

-- CreateTable
CREATE TABLE "tax_rate" (
    "id" UUID NOT NULL,
    "merchant_id" UUID NOT NULL,
    "display_name" TEXT NOT NULL,
    "percentage" DECIMAL(7,4) NOT NULL,
    "inclusive" BOOLEAN NOT NULL DEFAULT false,
    "jurisdiction" TEXT,
    "description" TEXT,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tax_rate_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "product_plan" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "image_url" TEXT,
    "plan_type" "plan_type" NOT NULL DEFAULT 'ONE_TIME',
    "tax_rate_id" UUID,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "product_plan_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "product_plan_price" (
    "id" UUID NOT NULL,
    "product_plan_id" UUID NOT NULL,
    "amount" DECIMAL(14,2) NOT NULL,
    "currency" TEXT NOT NULL DEFAULT 'USD',
    "billing_interval" "billing_interval",
    "billing_interval_count" INTEGER NOT NULL DEFAULT 1,
    "trial_period_days" INTEGER,
    "nickname" TEXT,
    "sort_order" INTEGER NOT NULL DEFAULT 0,
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "product_plan_price_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payment_link" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "slug" TEXT NOT NULL,
    "amount" DECIMAL(14,2),
    "currency" TEXT,
    "product_plan_id" UUID,
    "product_plan_price_id" UUID,
    "tax_rate_id" UUID,
    "allowed_chains" JSONB NOT NULL DEFAULT '"ALL"',
    "allowed_tokens" JSONB NOT NULL DEFAULT '"ALL"',
    "success_url" TEXT,
    "cancel_url" TEXT,
    "require_billing_details" BOOLEAN NOT NULL DEFAULT false,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "usage_count" INTEGER NOT NULL DEFAULT 0,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_link_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "checkout_session" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "mode" "checkout_mode" NOT NULL DEFAULT 'PAYMENT',
    "ui_mode" "checkout_ui_mode" NOT NULL DEFAULT 'HOSTED',
    "status" "checkout_session_status" NOT NULL DEFAULT 'OPEN',
    "client_secret_hash" BYTEA NOT NULL,
    "amount" DECIMAL(14,2) NOT NULL,
    "currency" TEXT NOT NULL,
    "subtotal" DECIMAL(14,2) NOT NULL,
    "tax_amount" DECIMAL(14,2) NOT NULL,
    "tax_rate_id" UUID,
    "payment_intent_id" UUID,
    "owns_intent" BOOLEAN NOT NULL DEFAULT false,
    "subscription_id" UUID,
    "customer_account_id" UUID,
    "source_type" "payment_source_type",
    "source_id" UUID,
    "allowed_chains" JSONB NOT NULL DEFAULT '"ALL"',
    "allowed_tokens" JSONB NOT NULL DEFAULT '"ALL"',
    "success_url" TEXT,
    "cancel_url" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "last_error_code" TEXT,
    "last_error_message" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "checkout_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "checkout_item" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "amount" DECIMAL(14,2) NOT NULL,
    "currency" TEXT NOT NULL,
    "quantity" INTEGER NOT NULL DEFAULT 1,
    "tax_amount" DECIMAL(14,2) NOT NULL DEFAULT 0,
    "product_plan_id" UUID,
    "product_plan_price_id" UUID,

    CONSTRAINT "checkout_item_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "customer_account" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "external_id" TEXT,
    "email" TEXT,
    "name" TEXT,
    "address" TEXT,
    "city" TEXT,
    "state" TEXT,
    "country" TEXT,
    "postal_code" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "customer_account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "customer_wallet" (
    "id" UUID NOT NULL,
    "customer_account_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "wallet_address" TEXT NOT NULL,
    "has_active_authorization" BOOLEAN NOT NULL DEFAULT false,
    "authorization_type" "wallet_authorization_type",
    "authorization_tx_hash" TEXT,
    "authorized_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "customer_wallet_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event_cursor" (
    "app_id" UUID NOT NULL,
    "last_sequence" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_cursor_pkey" PRIMARY KEY ("app_id")
);

-- CreateTable
CREATE TABLE "event" (
    "app_id" UUID NOT NULL,
    "sequence" BIGINT NOT NULL,
    "id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "resource_id" UUID NOT NULL,
    "data" JSONB NOT NULL,
    "finality" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_pkey" PRIMARY KEY ("app_id","sequence")
);

-- CreateTable
CREATE TABLE "webhook_endpoint" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "active" BOOLEAN NOT NULL DEFAULT true,
    "secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "previous_secret_expires_at" TIMESTAMPTZ(3),
    "disabled_reason" TEXT,
    "failing_since" TIMESTAMPTZ(3),
    "start_sequence" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_endpoint_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "sequence" BIGINT NOT NULL,
    "event" TEXT NOT NULL,
    "status" "webhook_delivery_status" NOT NULL DEFAULT 'PENDING',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "response_status" INTEGER,
    "response_body" TEXT,
    "next_retry_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_attempt" (
    "id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "response_status" INTEGER,
    "response_body" TEXT,
    "error" TEXT,
    "latency_ms" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "chain_fact" (
    "chain_id" INTEGER NOT NULL,
    "block_hash" TEXT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "tx_hash" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "ref" TEXT,
    "args" JSONB NOT NULL,
    "status" "fact_status" NOT NULL DEFAULT 'SEEN',
    "applied_at" TIMESTAMPTZ(3),
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "chain_fact_pkey" PRIMARY KEY ("chain_id","block_hash","log_index")
);

-- CreateTable
CREATE TABLE "chain_cursor" (
    "chain_id" INTEGER NOT NULL,
    "head_number" BIGINT NOT NULL DEFAULT 0,
    "head_hash" TEXT,
    "head_timestamp" BIGINT NOT NULL DEFAULT 0,
    "finalized_number" BIGINT NOT NULL DEFAULT 0,
    "applied_number" BIGINT NOT NULL DEFAULT 0,
    "applied_timestamp" BIGINT NOT NULL DEFAULT 0,
    "finalized_timestamp" BIGINT NOT NULL DEFAULT 0,
    "paused_at" TIMESTAMPTZ(3),
    "halted_at" TIMESTAMPTZ(3),
    "halt_reason" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chain_cursor_pkey" PRIMARY KEY ("chain_id")
);

-- CreateTable
CREATE TABLE "operator_nonce" (
    "chain_id" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "next_nonce" BIGINT NOT NULL,

    CONSTRAINT "operator_nonce_pkey" PRIMARY KEY ("chain_id","address")
);

-- CreateTable
CREATE TABLE "outgoing_transaction" (
    "id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "sender" TEXT NOT NULL,
    "to_address" TEXT NOT NULL,
    "data" TEXT NOT NULL,
    "value_wei" DECIMAL(78,0) NOT NULL DEFAULT 0,
    "purpose" TEXT NOT NULL,
    "status" "outgoing_status" NOT NULL DEFAULT 'QUEUED',
    "nonce" BIGINT,
    "transaction_id" UUID,
    "tx_hash" TEXT,
    "block_number" BIGINT,
    "block_hash" TEXT,
    "gas_used" BIGINT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "not_before" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "outgoing_transaction_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outgoing_attempt" (
    "hash" TEXT NOT NULL,
    "outgoing_id" UUID NOT NULL,
    "raw" TEXT NOT NULL,
    "max_fee_per_gas_wei" DECIMAL(78,0) NOT NULL,
    "max_priority_fee_per_gas_wei" DECIMAL(78,0) NOT NULL,
    "gas_limit" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "outgoing_attempt_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "merchant" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "merchant_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "app" (
    "id" UUID NOT NULL,
    "merchant_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "mode" "app_mode" NOT NULL,
    "timelock_duration" INTEGER NOT NULL DEFAULT 604800,
    "dispute_start_duration" INTEGER NOT NULL DEFAULT 86400,
    "dispute_timeout" INTEGER NOT NULL DEFAULT 2592000,
    "dispute_timeout_payer_bps" INTEGER NOT NULL DEFAULT 10000,
    "capture_deadline" INTEGER NOT NULL DEFAULT 604800,
    "platform_fee_bps" INTEGER NOT NULL DEFAULT 100,
    "intent_expiry" INTEGER NOT NULL DEFAULT 3600,
    "capture_mode" "capture_mode" NOT NULL DEFAULT 'AUTOMATIC',
    "subscription_cap_multiplier" DECIMAL(6,3) NOT NULL DEFAULT 1.25,
    "subscription_grace_days" INTEGER NOT NULL DEFAULT 14,
    "subscription_capture_retries" INTEGER NOT NULL DEFAULT 4,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "app_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payout_address" (
    "app_id" UUID NOT NULL,
    "family" "chain_family" NOT NULL,
    "address" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payout_address_pkey" PRIMARY KEY ("app_id","family")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "kind" "api_key_kind" NOT NULL,
    "name" TEXT,
    "prefix" TEXT NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "member" (
    "id" UUID NOT NULL,
    "merchant_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "role" "member_role" NOT NULL,
    "invited_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "joined_at" TIMESTAMPTZ(3),
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "member_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "platform_credential" (
    "id" UUID NOT NULL,
    "role" "platform_role" NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "platform_credential_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "invoice" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "customer_account_id" UUID NOT NULL,
    "subscription_id" UUID,
    "payment_intent_id" UUID,
    "invoice_number" TEXT,
    "status" "invoice_status" NOT NULL DEFAULT 'DRAFT',
    "subtotal" DECIMAL(14,2) NOT NULL,
    "tax_amount" DECIMAL(14,2) NOT NULL,
    "total" DECIMAL(14,2) NOT NULL,
    "currency" TEXT NOT NULL,
    "tax_rate_id" UUID,
    "due_date" TIMESTAMPTZ(3),
    "paid_at" TIMESTAMPTZ(3),
    "voided_at" TIMESTAMPTZ(3),
    "period_start" TIMESTAMPTZ(3),
    "period_end" TIMESTAMPTZ(3),
    "last_error_code" TEXT,
    "last_error_message" TEXT,
    "memo" TEXT,
    "allowed_chains" JSONB NOT NULL DEFAULT '"ALL"',
    "allowed_tokens" JSONB NOT NULL DEFAULT '"ALL"',
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invoice_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "invoice_item" (
    "id" UUID NOT NULL,
    "invoice_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "description" TEXT NOT NULL,
    "amount" DECIMAL(14,2) NOT NULL,
    "currency" TEXT NOT NULL,
    "quantity" INTEGER NOT NULL DEFAULT 1,
    "tax_amount" DECIMAL(14,2) NOT NULL DEFAULT 0,
    "tax_rate_id" UUID,
    "product_plan_id" UUID,
    "product_plan_price_id" UUID,

    CONSTRAINT "invoice_item_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "invoice_counter" (
    "app_id" UUID NOT NULL,
    "last_number" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "invoice_counter_pkey" PRIMARY KEY ("app_id")
);

-- CreateTable
CREATE TABLE "payment_intent" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "customer_account_id" UUID,
    "external_id" TEXT,
    "amount" DECIMAL(14,2) NOT NULL,
    "currency" TEXT NOT NULL,
    "allowed_chains" JSONB NOT NULL DEFAULT '"ALL"',
    "allowed_tokens" JSONB NOT NULL DEFAULT '"ALL"',
    "capture_mode" "capture_mode" NOT NULL,
    "timelock_duration" INTEGER NOT NULL,
    "dispute_start_duration" INTEGER NOT NULL,
    "status" "payment_intent_status" NOT NULL DEFAULT 'CREATED',
    "authorization_method" "authorization_method",
    "authorization_chain_id" INTEGER,
    "authorization_token_key" TEXT,
    "authorization_wallet_address" TEXT,
    "authorization_tx_hash" TEXT,
    "authorization_signature" TEXT,
    "authorized_at" TIMESTAMPTZ(3),
    "crypto_amount" DECIMAL(78,0),
    "crypto_token_key" TEXT,
    "crypto_token_decimals" INTEGER,
    "exchange_rate" DECIMAL(38,18),
    "capture_tx_hash" TEXT,
    "captured_at" TIMESTAMPTZ(3),
    "capture_attempts" INTEGER NOT NULL DEFAULT 0,
    "timelock_ends_at" TIMESTAMPTZ(3),
    "settled_at" TIMESTAMPTZ(3),
    "refunded_at" TIMESTAMPTZ(3),
    "refund_tx_hash" TEXT,
    "refund_reason" TEXT,
    "platform_fee_bps" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "source_type" "payment_source_type",
    "source_id" UUID,
    "success_url" TEXT,
    "cancel_url" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "idempotency_key" TEXT,
    "accepted_terms_hash" TEXT,
    "left_amount" DECIMAL(78,0),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_intent_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "quote" (
    "id" UUID NOT NULL,
    "payment_intent_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "token_key" TEXT NOT NULL,
    "wallet_address" TEXT NOT NULL,
    "method" "authorization_method" NOT NULL,
    "crypto_amount" DECIMAL(78,0) NOT NULL,
    "exchange_rate" DECIMAL(38,18) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),
    "terms_hash" TEXT NOT NULL,
    "steps" JSONB NOT NULL,
    "signature" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "quote_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payment_terms" (
    "terms_hash" TEXT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "payment_intent_id" UUID NOT NULL,
    "quote_id" UUID,
    "token_key" TEXT NOT NULL,
    "method" "authorization_method" NOT NULL,
    "terms" JSONB NOT NULL,
    "operator_signature" TEXT NOT NULL,
    "payer_signature" TEXT,
    "exchange_rate" DECIMAL(38,18) NOT NULL,
    "authorize_by" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payment_terms_pkey" PRIMARY KEY ("terms_hash")
);

-- CreateTable
CREATE TABLE "transaction" (
    "id" UUID NOT NULL,
    "payment_intent_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "type" "transaction_type" NOT NULL,
    "status" "transaction_status" NOT NULL DEFAULT 'PENDING',
    "terms_hash" TEXT,
    "tx_hash" TEXT,
    "block_number" BIGINT,
    "block_hash" TEXT,
    "log_index" INTEGER,
    "amount" DECIMAL(78,0),
    "gas_used" BIGINT,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "confirmed_at" TIMESTAMPTZ(3),

    CONSTRAINT "transaction_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "refund" (
    "id" UUID NOT NULL,
    "payment_intent_id" UUID NOT NULL,
    "transaction_id" UUID NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "leftover_after" DECIMAL(78,0) NOT NULL,
    "token_key" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "status" "refund_status" NOT NULL DEFAULT 'PENDING',
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "confirmed_at" TIMESTAMPTZ(3),

    CONSTRAINT "refund_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "dispute" (
    "id" UUID NOT NULL,
    "payment_intent_id" UUID NOT NULL,
    "reason" TEXT,
    "evidence" TEXT,
    "status" "dispute_status" NOT NULL DEFAULT 'OPEN',
    "payer_bps" INTEGER,
    "deadline" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "resolved_at" TIMESTAMPTZ(3),

    CONSTRAINT "dispute_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_entry" (
    "id" UUID NOT NULL,
    "payment_intent_id" UUID NOT NULL,
    "terms_hash" TEXT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "token_key" TEXT NOT NULL,
    "account" "ledger_account" NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "kind" TEXT NOT NULL,
    "tx_hash" TEXT NOT NULL,
    "block_hash" TEXT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_record" (
    "app_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "result" JSONB NOT NULL,
    "permanent" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_record_pkey" PRIMARY KEY ("app_id","key")
);

-- CreateTable
CREATE TABLE "rate_bucket" (
    "key" TEXT NOT NULL,
    "tokens" DOUBLE PRECISION NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rate_bucket_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "subscription" (
    "id" UUID NOT NULL,
    "app_id" UUID NOT NULL,
    "customer_account_id" UUID NOT NULL,
    "product_plan_id" UUID NOT NULL,
    "product_plan_price_id" UUID NOT NULL,
    "status" "subscription_status" NOT NULL DEFAULT 'PENDING',
    "customer_wallet_id" UUID,
    "authorization_method" "authorization_method",
    "authorization_chain_id" INTEGER,
    "authorization_token_key" TEXT,
    "permit_signature" TEXT,
    "permit_deadline" TIMESTAMPTZ(3),
    "permit_nonce" TEXT,
    "approved_allowance" DECIMAL(78,0),
    "current_period_start" TIMESTAMPTZ(3),
    "current_period_end" TIMESTAMPTZ(3),
    "billing_cycle_anchor" TIMESTAMPTZ(3),
    "trial_start" TIMESTAMPTZ(3),
    "trial_end" TIMESTAMPTZ(3),
    "cancel_at" TIMESTAMPTZ(3),
    "cancelled_at" TIMESTAMPTZ(3),
    "cancel_at_period_end" BOOLEAN NOT NULL DEFAULT false,
    "paused_at" TIMESTAMPTZ(3),
    "past_due_since" TIMESTAMPTZ(3),
    "capture_retry_count" INTEGER NOT NULL DEFAULT 0,
    "max_capture_retries" INTEGER NOT NULL DEFAULT 4,
    "pending_job_id" TEXT,
    "allowed_chains" JSONB NOT NULL DEFAULT '"ALL"',
    "allowed_tokens" JSONB NOT NULL DEFAULT '"ALL"',
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "subscription_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "tax_rate_merchant_id_id_idx" ON "tax_rate"("merchant_id", "id");

-- CreateIndex
CREATE INDEX "product_plan_app_id_id_idx" ON "product_plan"("app_id", "id");

-- CreateIndex
CREATE INDEX "product_plan_price_product_plan_id_sort_order_idx" ON "product_plan_price"("product_plan_id", "sort_order");

-- CreateIndex
CREATE UNIQUE INDEX "payment_link_slug_key" ON "payment_link"("slug");

-- CreateIndex
CREATE INDEX "payment_link_app_id_id_idx" ON "payment_link"("app_id", "id");

-- CreateIndex
CREATE INDEX "checkout_session_app_id_id_idx" ON "checkout_session"("app_id", "id");

-- CreateIndex
CREATE INDEX "checkout_session_payment_intent_id_idx" ON "checkout_session"("payment_intent_id");

-- CreateIndex
CREATE INDEX "checkout_session_subscription_id_idx" ON "checkout_session"("subscription_id");

-- CreateIndex
CREATE INDEX "checkout_session_status_expires_at_idx" ON "checkout_session"("status", "expires_at");

-- CreateIndex
CREATE INDEX "checkout_item_session_id_position_idx" ON "checkout_item"("session_id", "position");

-- CreateIndex
CREATE INDEX "customer_account_app_id_id_idx" ON "customer_account"("app_id", "id");

-- CreateIndex
CREATE INDEX "customer_wallet_chain_id_wallet_address_idx" ON "customer_wallet"("chain_id", "wallet_address");

-- CreateIndex
CREATE UNIQUE INDEX "customer_wallet_customer_account_id_chain_id_wallet_address_key" ON "customer_wallet"("customer_account_id", "chain_id", "wallet_address");

-- CreateIndex
CREATE UNIQUE INDEX "event_id_key" ON "event"("id");

-- CreateIndex
CREATE INDEX "event_resource_id_sequence_idx" ON "event"("resource_id", "sequence");

-- CreateIndex
CREATE INDEX "event_app_id_type_sequence_idx" ON "event"("app_id", "type", "sequence");

-- CreateIndex
CREATE INDEX "webhook_endpoint_app_id_created_at_idx" ON "webhook_endpoint"("app_id", "created_at");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_status_sequence_idx" ON "webhook_delivery"("webhook_id", "status", "sequence");

-- CreateIndex
CREATE INDEX "webhook_delivery_status_next_retry_at_idx" ON "webhook_delivery"("status", "next_retry_at");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_webhook_id_event_id_key" ON "webhook_delivery"("webhook_id", "event_id");

-- CreateIndex
CREATE INDEX "webhook_attempt_delivery_id_created_at_idx" ON "webhook_attempt"("delivery_id", "created_at");

-- CreateIndex
CREATE INDEX "chain_fact_chain_id_ref_idx" ON "chain_fact"("chain_id", "ref");

-- CreateIndex
CREATE INDEX "chain_fact_chain_id_status_block_number_idx" ON "chain_fact"("chain_id", "status", "block_number");

-- CreateIndex
CREATE UNIQUE INDEX "outgoing_transaction_purpose_key" ON "outgoing_transaction"("purpose");

-- CreateIndex
CREATE UNIQUE INDEX "outgoing_transaction_transaction_id_key" ON "outgoing_transaction"("transaction_id");

-- CreateIndex
CREATE INDEX "outgoing_transaction_chain_id_sender_status_idx" ON "outgoing_transaction"("chain_id", "sender", "status");

-- CreateIndex
CREATE UNIQUE INDEX "outgoing_transaction_chain_id_sender_nonce_key" ON "outgoing_transaction"("chain_id", "sender", "nonce");

-- CreateIndex
CREATE INDEX "outgoing_attempt_outgoing_id_created_at_idx" ON "outgoing_attempt"("outgoing_id", "created_at");

-- CreateIndex
CREATE INDEX "app_merchant_id_id_idx" ON "app"("merchant_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_key_hash_key" ON "api_key"("key_hash");

-- CreateIndex
CREATE INDEX "api_key_app_id_created_at_idx" ON "api_key"("app_id", "created_at");

-- CreateIndex
CREATE INDEX "member_email_idx" ON "member"("email");

-- CreateIndex
CREATE UNIQUE INDEX "member_merchant_id_email_key" ON "member"("merchant_id", "email");

-- CreateIndex
CREATE UNIQUE INDEX "platform_credential_key_hash_key" ON "platform_credential"("key_hash");

-- CreateIndex
CREATE UNIQUE INDEX "invoice_payment_intent_id_key" ON "invoice"("payment_intent_id");

-- CreateIndex
CREATE INDEX "invoice_app_id_id_idx" ON "invoice"("app_id", "id");

-- CreateIndex
CREATE INDEX "invoice_customer_account_id_id_idx" ON "invoice"("customer_account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "invoice_app_id_invoice_number_key" ON "invoice"("app_id", "invoice_number");

-- CreateIndex
CREATE UNIQUE INDEX "invoice_subscription_id_period_start_key" ON "invoice"("subscription_id", "period_start");

-- CreateIndex
CREATE INDEX "invoice_item_invoice_id_position_idx" ON "invoice_item"("invoice_id", "position");

-- CreateIndex
CREATE INDEX "payment_intent_app_id_id_idx" ON "payment_intent"("app_id", "id");

-- CreateIndex
CREATE INDEX "payment_intent_app_id_status_id_idx" ON "payment_intent"("app_id", "status", "id");

-- CreateIndex
CREATE INDEX "payment_intent_customer_account_id_id_idx" ON "payment_intent"("customer_account_id", "id");

-- CreateIndex
CREATE INDEX "payment_intent_status_expires_at_idx" ON "payment_intent"("status", "expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "payment_intent_app_id_idempotency_key_key" ON "payment_intent"("app_id", "idempotency_key");

-- CreateIndex
CREATE INDEX "quote_payment_intent_id_created_at_idx" ON "quote"("payment_intent_id", "created_at");

-- CreateIndex
CREATE INDEX "payment_terms_payment_intent_id_created_at_idx" ON "payment_terms"("payment_intent_id", "created_at");

-- CreateIndex
CREATE INDEX "transaction_payment_intent_id_created_at_idx" ON "transaction"("payment_intent_id", "created_at");

-- CreateIndex
CREATE INDEX "transaction_status_chain_id_idx" ON "transaction"("status", "chain_id");

-- CreateIndex
CREATE UNIQUE INDEX "refund_transaction_id_key" ON "refund"("transaction_id");

-- CreateIndex
CREATE INDEX "refund_payment_intent_id_created_at_idx" ON "refund"("payment_intent_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "dispute_payment_intent_id_key" ON "dispute"("payment_intent_id");

-- CreateIndex
CREATE INDEX "ledger_entry_payment_intent_id_created_at_idx" ON "ledger_entry"("payment_intent_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entry_chain_id_block_hash_log_index_account_kind_key" ON "ledger_entry"("chain_id", "block_hash", "log_index", "account", "kind");

-- CreateIndex
CREATE INDEX "idempotency_record_created_at_idx" ON "idempotency_record"("created_at");

-- CreateIndex
CREATE INDEX "subscription_app_id_id_idx" ON "subscription"("app_id", "id");

-- CreateIndex
CREATE INDEX "subscription_customer_account_id_id_idx" ON "subscription"("customer_account_id", "id");

-- CreateIndex
CREATE INDEX "subscription_status_current_period_end_idx" ON "subscription"("status", "current_period_end");

-- AddForeignKey
ALTER TABLE "tax_rate" ADD CONSTRAINT "tax_rate_merchant_id_fkey" FOREIGN KEY ("merchant_id") REFERENCES "merchant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "product_plan" ADD CONSTRAINT "product_plan_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "product_plan" ADD CONSTRAINT "product_plan_tax_rate_id_fkey" FOREIGN KEY ("tax_rate_id") REFERENCES "tax_rate"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "product_plan_price" ADD CONSTRAINT "product_plan_price_product_plan_id_fkey" FOREIGN KEY ("product_plan_id") REFERENCES "product_plan"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_link" ADD CONSTRAINT "payment_link_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_link" ADD CONSTRAINT "payment_link_product_plan_id_fkey" FOREIGN KEY ("product_plan_id") REFERENCES "product_plan"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_link" ADD CONSTRAINT "payment_link_product_plan_price_id_fkey" FOREIGN KEY ("product_plan_price_id") REFERENCES "product_plan_price"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_link" ADD CONSTRAINT "payment_link_tax_rate_id_fkey" FOREIGN KEY ("tax_rate_id") REFERENCES "tax_rate"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checkout_session" ADD CONSTRAINT "checkout_session_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checkout_session" ADD CONSTRAINT "checkout_session_payment_intent_id_fkey" FOREIGN KEY ("payment_intent_id") REFERENCES "payment_intent"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checkout_session" ADD CONSTRAINT "checkout_session_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "subscription"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checkout_session" ADD CONSTRAINT "checkout_session_customer_account_id_fkey" FOREIGN KEY ("customer_account_id") REFERENCES "customer_account"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checkout_session" ADD CONSTRAINT "checkout_session_tax_rate_id_fkey" FOREIGN KEY ("tax_rate_id") REFERENCES "tax_rate"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checkout_item" ADD CONSTRAINT "checkout_item_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "checkout_session"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checkout_item" ADD CONSTRAINT "checkout_item_product_plan_id_fkey" FOREIGN KEY ("product_plan_id") REFERENCES "product_plan"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checkout_item" ADD CONSTRAINT "checkout_item_product_plan_price_id_fkey" FOREIGN KEY ("product_plan_price_id") REFERENCES "product_plan_price"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "customer_account" ADD CONSTRAINT "customer_account_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "customer_wallet" ADD CONSTRAINT "customer_wallet_customer_account_id_fkey" FOREIGN KEY ("customer_account_id") REFERENCES "customer_account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event" ADD CONSTRAINT "event_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook_endpoint"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "event"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "outgoing_attempt" ADD CONSTRAINT "outgoing_attempt_outgoing_id_fkey" FOREIGN KEY ("outgoing_id") REFERENCES "outgoing_transaction"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app" ADD CONSTRAINT "app_merchant_id_fkey" FOREIGN KEY ("merchant_id") REFERENCES "merchant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payout_address" ADD CONSTRAINT "payout_address_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "member" ADD CONSTRAINT "member_merchant_id_fkey" FOREIGN KEY ("merchant_id") REFERENCES "merchant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice" ADD CONSTRAINT "invoice_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice" ADD CONSTRAINT "invoice_customer_account_id_fkey" FOREIGN KEY ("customer_account_id") REFERENCES "customer_account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice" ADD CONSTRAINT "invoice_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "subscription"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice" ADD CONSTRAINT "invoice_payment_intent_id_fkey" FOREIGN KEY ("payment_intent_id") REFERENCES "payment_intent"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice" ADD CONSTRAINT "invoice_tax_rate_id_fkey" FOREIGN KEY ("tax_rate_id") REFERENCES "tax_rate"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice_item" ADD CONSTRAINT "invoice_item_invoice_id_fkey" FOREIGN KEY ("invoice_id") REFERENCES "invoice"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice_item" ADD CONSTRAINT "invoice_item_tax_rate_id_fkey" FOREIGN KEY ("tax_rate_id") REFERENCES "tax_rate"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice_item" ADD CONSTRAINT "invoice_item_product_plan_id_fkey" FOREIGN KEY ("product_plan_id") REFERENCES "product_plan"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice_item" ADD CONSTRAINT "invoice_item_product_plan_price_id_fkey" FOREIGN KEY ("product_plan_price_id") REFERENCES "product_plan_price"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_intent" ADD CONSTRAINT "payment_intent_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_intent" ADD CONSTRAINT "payment_intent_customer_account_id_fkey" FOREIGN KEY ("customer_account_id") REFERENCES "customer_account"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "quote" ADD CONSTRAINT "quote_payment_intent_id_fkey" FOREIGN KEY ("payment_intent_id") REFERENCES "payment_intent"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_terms" ADD CONSTRAINT "payment_terms_payment_intent_id_fkey" FOREIGN KEY ("payment_intent_id") REFERENCES "payment_intent"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_payment_intent_id_fkey" FOREIGN KEY ("payment_intent_id") REFERENCES "payment_intent"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refund" ADD CONSTRAINT "refund_payment_intent_id_fkey" FOREIGN KEY ("payment_intent_id") REFERENCES "payment_intent"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refund" ADD CONSTRAINT "refund_transaction_id_fkey" FOREIGN KEY ("transaction_id") REFERENCES "transaction"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dispute" ADD CONSTRAINT "dispute_payment_intent_id_fkey" FOREIGN KEY ("payment_intent_id") REFERENCES "payment_intent"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger_entry" ADD CONSTRAINT "ledger_entry_payment_intent_id_fkey" FOREIGN KEY ("payment_intent_id") REFERENCES "payment_intent"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_app_id_fkey" FOREIGN KEY ("app_id") REFERENCES "app"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_customer_account_id_fkey" FOREIGN KEY ("customer_account_id") REFERENCES "customer_account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_product_plan_id_fkey" FOREIGN KEY ("product_plan_id") REFERENCES "product_plan"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_product_plan_price_id_fkey" FOREIGN KEY ("product_plan_price_id") REFERENCES "product_plan_price"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_customer_wallet_id_fkey" FOREIGN KEY ("customer_wallet_id") REFERENCES "customer_wallet"("id") ON DELETE SET NULL ON UPDATE CASCADE;
