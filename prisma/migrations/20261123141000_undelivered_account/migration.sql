-- AlterEnum
ALTER TYPE "ledger_account" ADD VALUE 'UNDELIVERED';
