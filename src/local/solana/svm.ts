/** The virtual machine behind plain types. This is the only file that calls litesvm. */
import { base58 } from '@scure/base';
import { FailedTransactionMetadata, LiteSVM, type TransactionMetadata } from 'litesvm';
import { printTransactionError, type TransactionError } from './svm-errors.ts';

/** `owner` is the program that owns the account. */
export type SvmAccount = { lamports: bigint; owner: string; data: Uint8Array; executable: boolean };

/** A call from within an instruction. Indexes refer to the transaction's accounts. */
export type InnerInstruction = { programIdIndex: number; accounts: number[]; data: Uint8Array; stackHeight: number };

export type SvmOutcome = {
  err: TransactionError | null;
  logs: string[];
  inner: { index: number; instructions: InnerInstruction[] }[];
  computeUnits: bigint;
  /** After a successful simulation, the resulting state of its accounts. Otherwise empty. */
  accounts: Map<string, SvmAccount>;
};

export type Svm = {
  account(address: string): SvmAccount | null;
  put(address: string, account: SvmAccount): void;
  /** Verifies signatures but not the blockhash. */
  send(raw: Uint8Array): SvmOutcome;
  simulate(raw: Uint8Array, options: { verifySignatures: boolean }): SvmOutcome;
  setTime(time: { slot: bigint; unixSeconds: number }): void;
  /** Lamports that an account of this size must hold to be rent exempt. */
  rentExemption(bytes: number): bigint;
};

type SvmAddress = Parameters<LiteSVM['getAccount']>[0];
type SvmTransaction = Parameters<LiteSVM['sendTransaction']>[0];
type EncodedAccount = Parameters<LiteSVM['setAccount']>[0];

/**
 * Opens a virtual machine with the token, associated token account and memo programs. It does not check blockhashes or keep a transaction
 * history.
 */
export function openSvm(): Svm {
  const svm = new LiteSVM().withNativeMints().withBlockhashCheck(false).withTransactionHistory(0n);
  let time: { slot: bigint; unixSeconds: number } | null = null;
  // Setting the clock rebuilds the sysvars, which is too expensive to do for every slot in which nothing happens.
  const applyTime = () => {
    if (!time) return;
    const clock = svm.getClock();
    clock.slot = time.slot;
    clock.unixTimestamp = BigInt(time.unixSeconds);
    svm.setClock(clock);
    time = null;
  };
  return {
    account(address) {
      applyTime();
      const found = svm.getAccount(branded(address));
      return found.exists && found.lamports > 0n ? plain(found) : null;
    },
    put(address, { lamports, owner, data, executable }) {
      const encoded = { address, lamports, programAddress: owner, data, executable, space: BigInt(data.length) };
      // Only the brands of the types differ: every address here is the base58 form of 32 bytes.
      svm.setAccount(encoded as unknown as EncodedAccount);
    },
    send(raw) {
      applyTime();
      const sent = svm.sendTransaction(decode(raw));
      if (sent instanceof FailedTransactionMetadata) return outcome(sent.meta(), printTransactionError(sent));
      return outcome(sent, null);
    },
    simulate(raw, { verifySignatures }) {
      applyTime();
      svm.withSigverify(verifySignatures);
      const simulated = svm.simulateTransaction(decode(raw));
      svm.withSigverify(true);
      if (simulated instanceof FailedTransactionMetadata) {
        return outcome(simulated.meta(), printTransactionError(simulated));
      }
      const accounts = simulated
        .postAccounts()
        .map((account): [string, SvmAccount] => [account.address, plain(account)]);
      return { ...outcome(simulated.meta(), null), accounts: new Map(accounts) };
    },
    setTime(next) {
      time = next;
    },
    rentExemption: (bytes) => svm.minimumBalanceForRentExemption(BigInt(bytes)),
  };
}

function branded(address: string): SvmAddress {
  return address as SvmAddress;
}

function plain(account: Omit<EncodedAccount, 'space' | 'address'>): SvmAccount {
  const { lamports, programAddress, data, executable } = account;
  return { lamports, owner: programAddress, data: Uint8Array.from(data), executable };
}

const SIGNATURE_BYTES = 64;

/** Splits a transaction into its signatures and message. A transaction has at most 127 signatures, since the length takes one byte. */
export function splitTransaction(raw: Uint8Array): { signatures: Uint8Array[]; message: Uint8Array } {
  const count = raw[0] ?? 0;
  const end = 1 + count * SIGNATURE_BYTES;
  if (count === 0 || count > 127 || raw.length <= end) throw new Error('failed to fill whole buffer');
  const signatures = Array.from({ length: count }, (_, index) =>
    raw.subarray(1 + index * SIGNATURE_BYTES, 1 + (index + 1) * SIGNATURE_BYTES),
  );
  return { signatures, message: raw.subarray(end) };
}

function decode(raw: Uint8Array): SvmTransaction {
  const { signatures, message } = splitTransaction(raw);
  const isVersioned = (message[0] ?? 0) > 127;
  const keysAt = (isVersioned ? 1 : 0) + 4;
  const signers = signatures.map((signature, index): [string, Uint8Array] => [
    base58.encode(message.subarray(keysAt + index * 32, keysAt + (index + 1) * 32)),
    signature,
  ]);
  // As above: the same bytes under the library's branded types.
  return { messageBytes: message, signatures: Object.fromEntries(signers) } as unknown as SvmTransaction;
}

function outcome(meta: TransactionMetadata, err: TransactionError | null): SvmOutcome {
  const inner = meta.innerInstructions().flatMap((calls, index) => {
    const instructions = calls.map((call) => {
      const instruction = call.instruction();
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: [...instruction.accounts()],
        data: instruction.data(),
        stackHeight: call.stackHeight(),
      };
    });
    return instructions.length === 0 ? [] : [{ index, instructions }];
  });
  return { err, logs: meta.logs(), inner, computeUnits: meta.computeUnitsConsumed(), accounts: new Map() };
}
