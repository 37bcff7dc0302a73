-- CreateTable
CREATE TABLE "test_clock" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "offset_ms" BIGINT NOT NULL DEFAULT 0,
    "target_at" TIMESTAMPTZ(3),
    "stops" INTEGER NOT NULL DEFAULT 0,
    "fault" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "test_clock_pkey" PRIMARY KEY ("id")
);
