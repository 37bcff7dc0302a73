/**
 * The local Solana chain: slots, accounts and landed transactions on top of the virtual machine. Like a real cluster, it accepts a
 * transaction once, within 150 slots of its blockhash, charges the fee of a failed transaction, and drops one that cannot pay its fee.
 */
import { createHash, randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { Keypair, PublicKey, SystemProgram, Transaction, TransactionInstruction } from '@solana/web3.js';
import { type AccountVersions, openAccountVersions } from './account-versions.ts';
import { type JournalEntry, openJournal } from './journal.ts';
import {
  type LandedTransaction,
  landedTransactionShape,
  type ReadTransaction,
  readTransaction,
  type TokenBalance,
} from './landed-transaction.ts';
import { type Commitment, openSlots, type Slots } from './slots.ts';
import { openSvm, type Svm, type SvmAccount, type SvmOutcome } from './svm.ts';
import { readMint, readTokenAccount } from './token-account.ts';

export type LedgerOptions = {
  /** Slot duration in milliseconds. If 0, each transaction produces one slot, and further slots only come from `advance`. */
  slotMs: number;
  /** Number of slots after which a slot is confirmed or finalized. */
  confirmedAfter: number;
  finalizedAfter: number;
  /** Absolute path. If omitted, the chain is lost when the process ends. */
  journalFile?: string | undefined;
  now: () => Date;
};

export type Ledger = {
  slots: Slots;
  rentExemption(bytes: number): bigint;
  account(address: string, commitment: Commitment): SvmAccount | null;
  /** Addresses of every account that a transaction has written. */
  addresses(): Iterable<string>;
  /** In the order in which they landed. */
  landed: readonly LandedTransaction[];
  find(signature: string): LandedTransaction | undefined;
  /** Transactions that involve the address, oldest first. */
  landedWith(address: string): readonly LandedTransaction[];
  /**
   * Executes a transaction. Returns null if it was dropped because of an expired blockhash or a payer that cannot pay the fee. A known
   * transaction is returned unchanged.
   */
  land(raw: Uint8Array): LandedTransaction | null;
  simulate(raw: Uint8Array, options: { verifySignatures: boolean }): SvmOutcome;
  /** Transfers lamports from the faucet and returns the signature. */
  airdrop(address: string, lamports: bigint): string;
  advance(slots: number): void;
  /** Moves to the slot that corresponds to the current time. Used if slots follow the clock. */
  keepTime(): void;
  /** While held, transactions share the slot that was newest. */
  holdSlot(held: boolean): void;
  onChange(listener: () => void): void;
};

export const LAMPORTS_PER_SIGNATURE = 5_000n;
const FAUCET_LAMPORTS = 5_000_000_000_000_000n;
const SYSTEM_PROGRAM = SystemProgram.programId.toBase58();
const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

export function openLedger(options: LedgerOptions): Ledger {
  const svm = openSvm();
  const journal = openJournal(options.journalFile, () => base58.encode(randomBytes(32)));
  const slots = openSlots({ genesisHash: journal.genesisHash, ...options });
  const versions = openAccountVersions(() => slots.at('finalized'));
  const faucet = Keypair.fromSeed(createHash('sha256').update('local Solana faucet').digest());
  svm.put(faucet.publicKey.toBase58(), walletOf(FAUCET_LAMPORTS));
  const history = openHistory();
  const listeners: (() => void)[] = [];
  let held = false;
  let airdrops = 0;

  const unixSeconds = () => Math.floor(options.now().getTime() / 1000);
  const moveTo = (slot: number) => {
    slots.advanceTo(slot, unixSeconds());
    svm.setTime({ slot: BigInt(slot), unixSeconds: unixSeconds() });
    for (const listener of listeners) listener();
  };
  for (const entry of journal.entries) restoreEntry({ slots, versions, history }, entry);
  for (const address of versions.addresses()) {
    const account = versions.at(address, slots.at('processed'));
    if (account) svm.put(address, account);
  }
  const startedAt = { slot: slots.at('processed'), ms: options.now().getTime() };
  // Account for the slots that passed while the process was not running: pending transactions have expired, as on any chain.
  const restSeconds = Math.max(0, unixSeconds() - (history.landed.at(-1)?.blockTime ?? unixSeconds()));
  const restSlots = options.slotMs > 0 ? Math.floor((restSeconds * 1000) / options.slotMs) : 0;
  startedAt.slot += restSlots + 1;
  moveTo(startedAt.slot);

  const land = (raw: Uint8Array): LandedTransaction | null => {
    const read = readTransaction(raw);
    const signature = base58.encode(read.signatures[0] ?? new Uint8Array());
    const known = history.find(signature);
    if (known) return known;
    if (slots.slotOf(read.blockhash) === undefined) return null;
    const before = read.keys.map((key) => svm.account(key));
    const executed = svm.send(raw);
    const after = read.keys.map((key) => svm.account(key));
    // A transaction that could not even pay its fee leaves no trace on chain.
    if (executed.err !== null && before[0]?.lamports === after[0]?.lamports) return null;
    if (options.slotMs === 0 && !held) slots.advanceTo(slots.at('processed') + 1, unixSeconds());
    const slot = slots.at('processed');
    const blockTime = slots.timeOf(slot) ?? unixSeconds();
    const transaction = recordOf({ svm, read, raw, signature, slot, blockTime, executed, before, after });
    const written = read.keys.flatMap((address, index) =>
      read.message.isAccountWritable(index)
        ? [{ address, before: before[index] ?? null, account: after[index] ?? null }]
        : [],
    );
    journal.append({
      record: transaction,
      accounts: written.map(({ address, account }) => ({ address, account: account && jsonOf(account) })),
    });
    for (const { address, account, before: old } of written) versions.note(address, { slot, account }, old);
    history.keep(transaction, read.keys);
    moveTo(slot);
    return transaction;
  };

  return {
    slots,
    rentExemption: svm.rentExemption,
    account: (address, commitment) => {
      const version = versions.at(address, slots.at(commitment));
      return version === undefined ? svm.account(address) : version;
    },
    addresses: versions.addresses,
    ...history,
    land,
    simulate: svm.simulate,
    airdrop(address, lamports) {
      airdrops += 1;
      const blockhash = slots.blockhash(slots.at('processed'));
      const transaction = airdropTransaction({ faucet, address, lamports, blockhash, count: airdrops });
      const airdropped = land(transaction);
      if (!airdropped || airdropped.err !== null) throw new Error(`airdrop of ${lamports} lamports failed`);
      return airdropped.signature;
    },
    advance: (count) => moveTo(slots.at('processed') + count),
    keepTime() {
      const elapsed = Math.floor((options.now().getTime() - startedAt.ms) / options.slotMs);
      const slot = startedAt.slot + elapsed;
      if (slot > slots.at('processed')) moveTo(slot);
    },
    holdSlot: (isHeld) => {
      held = isHeld;
    },
    onChange: (listener) => listeners.push(listener),
  };
}

/** Two airdrops of the same amount in one slot would be the same transaction. The memo distinguishes them. */
function airdropTransaction(request: {
  faucet: Keypair;
  address: string;
  lamports: bigint;
  blockhash: string;
  count: number;
}): Uint8Array {
  const { faucet, lamports, blockhash } = request;
  const toPubkey = new PublicKey(request.address);
  const transfer = SystemProgram.transfer({ fromPubkey: faucet.publicKey, toPubkey, lamports });
  const data = Buffer.from(`airdrop ${request.count} ${randomBytes(4).toString('hex')}`);
  const memo = new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data });
  const transaction = new Transaction({ feePayer: faucet.publicKey, blockhash, lastValidBlockHeight: 0 });
  transaction.add(transfer, memo).sign(faucet);
  return transaction.serialize();
}

function recordOf(parts: {
  svm: Svm;
  read: ReadTransaction;
  raw: Uint8Array;
  signature: string;
  slot: number;
  blockTime: number;
  executed: SvmOutcome;
  before: (SvmAccount | null)[];
  after: (SvmAccount | null)[];
}): LandedTransaction {
  const { svm, read, executed, before, after } = parts;
  const lamports = (accounts: (SvmAccount | null)[]) => accounts.map((account) => String(account?.lamports ?? 0n));
  return {
    signature: parts.signature,
    slot: parts.slot,
    blockTime: parts.blockTime,
    raw: Buffer.from(parts.raw).toString('base64'),
    err: executed.err,
    logs: executed.logs,
    inner: executed.inner.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map((call) => ({ ...call, data: Buffer.from(call.data).toString('base64') })),
    })),
    fee: String(LAMPORTS_PER_SIGNATURE * BigInt(read.signatures.length)),
    computeUnits: String(executed.computeUnits),
    preBalances: lamports(before),
    postBalances: lamports(after),
    preTokens: tokenBalances(svm, before),
    postTokens: tokenBalances(svm, after),
  };
}

function tokenBalances(svm: Svm, accounts: (SvmAccount | null)[]): TokenBalance[] {
  return accounts.flatMap((account, accountIndex) => {
    const held = readTokenAccount(account);
    if (!held) return [];
    const decimals = readMint(svm.account(held.mint))?.decimals ?? 0;
    const { mint, owner, program } = held;
    return [{ accountIndex, mint, owner, programId: program, amount: String(held.amount), decimals }];
  });
}

type History = Pick<Ledger, 'landed' | 'find' | 'landedWith'> & {
  keep(transaction: LandedTransaction, keys: string[]): void;
};

function openHistory(): History {
  const landed: LandedTransaction[] = [];
  const bySignature = new Map<string, LandedTransaction>();
  const byAddress = new Map<string, LandedTransaction[]>();
  return {
    landed,
    find: (signature) => bySignature.get(signature),
    landedWith: (address) => byAddress.get(address) ?? [],
    keep(transaction, keys) {
      landed.push(transaction);
      bySignature.set(transaction.signature, transaction);
      for (const key of new Set(keys)) {
        const list = byAddress.get(key);
        if (list) list.push(transaction);
        else byAddress.set(key, [transaction]);
      }
    },
  };
}

function restoreEntry(
  { slots, versions, history }: { slots: Slots; versions: AccountVersions; history: History },
  entry: JournalEntry,
): void {
  const transaction = landedTransactionShape.parse(entry.record);
  slots.advanceTo(transaction.slot, transaction.blockTime);
  history.keep(transaction, readTransaction(Buffer.from(transaction.raw, 'base64')).keys);
  for (const { address, account } of entry.accounts) {
    const read = account && { ...account, lamports: BigInt(account.lamports), data: fromBase64(account.data) };
    versions.note(address, { slot: transaction.slot, account: read }, null);
  }
}

function walletOf(lamports: bigint): SvmAccount {
  return { lamports, owner: SYSTEM_PROGRAM, data: new Uint8Array(), executable: false };
}

function jsonOf({ lamports, owner, data, executable }: SvmAccount) {
  return { lamports: String(lamports), owner, data: Buffer.from(data).toString('base64'), executable };
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'base64'));
}
