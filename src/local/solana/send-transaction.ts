/** The calls sendTransaction and simulateTransaction, with preflight checks and errors as on real nodes. */
import { base58 } from '@scure/base';
import type { z } from 'zod';
import { readTransaction } from './landed-transaction.ts';
import type { Ledger } from './ledger.ts';
import { printAccount } from './print-account.ts';
import { RpcError } from './rpc-error.ts';
import { decodeBytes, type sendConfig, type simulateConfig } from './rpc-params.ts';
import type { TransactionError } from './svm-errors.ts';
import { readMint } from './token-account.ts';

/** Maximum size of a transaction, limited by the network packet size. */
const TRANSACTION_BYTES = 1232;

/** Returns the signature. Without preflight, a transaction that cannot land is dropped silently, as a cluster does. */
export function sendTransaction(ledger: Ledger, text: string, config: z.infer<typeof sendConfig>): string {
  const raw = decodeBytes(text, config.encoding);
  const read = decodeTransaction(raw);
  const signature = base58.encode(read.signatures[0] ?? new Uint8Array());
  if (!config.skipPreflight) preflight(ledger, raw, { signature, blockhash: read.blockhash });
  ledger.land(raw);
  return signature;
}

export function simulateTransaction(ledger: Ledger, text: string, config: z.infer<typeof simulateConfig>) {
  const raw = decodeBytes(text, config.encoding);
  const { blockhash } = decodeTransaction(raw);
  if (!config.replaceRecentBlockhash && ledger.slots.slotOf(blockhash) === undefined) {
    return simulated({ err: 'BlockhashNotFound', logs: [], computeUnits: 0n, accounts: null });
  }
  const outcome = ledger.simulate(raw, { verifySignatures: config.sigVerify });
  if (config.sigVerify && outcome.err === 'SignatureFailure') throw signatureFailure();
  const decimalsOf = (mint: string) => readMint(ledger.account(mint, 'processed'))?.decimals ?? 0;
  const accounts = config.accounts?.addresses.map((address) => {
    const account = outcome.accounts.get(address) ?? ledger.account(address, 'processed');
    return account && printAccount(account, { encoding: config.accounts?.encoding ?? 'base64', decimalsOf });
  });
  return simulated({ ...outcome, accounts: outcome.err === null ? (accounts ?? null) : null });
}

function preflight(
  ledger: Ledger,
  raw: Uint8Array,
  { signature, blockhash }: { signature: string; blockhash: string },
) {
  if (ledger.slots.slotOf(blockhash) === undefined) throw preflightFailure('BlockhashNotFound', []);
  if (ledger.find(signature)) throw preflightFailure('AlreadyProcessed', []);
  const { err, logs, computeUnits } = ledger.simulate(raw, { verifySignatures: true });
  if (err === 'SignatureFailure') throw signatureFailure();
  if (err !== null) throw preflightFailure(err, logs, computeUnits);
}

function decodeTransaction(raw: Uint8Array) {
  if (raw.length > TRANSACTION_BYTES) {
    throw new RpcError(
      -32602,
      `decoded solana_transaction::versioned::VersionedTransaction too large: ${raw.length} bytes (max: ${TRANSACTION_BYTES} bytes)`,
    );
  }
  try {
    return readTransaction(raw);
  } catch (error) {
    throw new RpcError(-32602, `invalid transaction: ${error instanceof Error ? error.message : 'not readable'}`);
  }
}

function simulated(outcome: { err: TransactionError | null; logs: string[]; computeUnits: bigint; accounts: unknown }) {
  const { err, logs, accounts, computeUnits } = outcome;
  return { err, logs, accounts, unitsConsumed: computeUnits, returnData: null, innerInstructions: null };
}

function preflightFailure(err: TransactionError, logs: string[], unitsConsumed = 0n): RpcError {
  const reason =
    err === 'BlockhashNotFound'
      ? 'Blockhash not found'
      : err === 'AlreadyProcessed'
        ? 'This transaction has already been processed'
        : JSON.stringify(err);
  return new RpcError(-32002, `Transaction simulation failed: ${reason}`, { err, logs, accounts: null, unitsConsumed });
}

function signatureFailure(): RpcError {
  return new RpcError(-32003, 'Transaction signature verification failure');
}
