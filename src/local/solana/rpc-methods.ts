/** The RPC methods of the local Solana. Any other method is rejected as unknown. */
import { VersionedMessage } from '@solana/web3.js';
import { z } from 'zod';
import { LAMPORTS_PER_SIGNATURE, type Ledger } from './ledger.ts';
import { printAccount, printTokenAmount } from './print-account.ts';
import { memoOf, printTransaction } from './print-transaction.ts';
import { RpcError } from './rpc-error.ts';
import * as params from './rpc-params.ts';
import { sendTransaction, simulateTransaction } from './send-transaction.ts';
import { BLOCKHASH_SLOTS, type Commitment } from './slots.ts';
import type { SvmAccount } from './svm.ts';
import { isTokenProgram, readMint, readTokenAccount } from './token-account.ts';

export type RpcMethod = (given: readonly unknown[]) => unknown;

const SLOTS_IN_EPOCH = 432_000;
const ACCOUNTS_LIMIT = 100;
const STATUSES_LIMIT = 256;

const { accountConfig, config, parseParams, pubkey } = params;

/**
 * `hidden` are signatures that are listed but cannot be read, for tests. `moveTime` moves the chain's clock forward to this time, and does
 * nothing if the clock is already there.
 */
export function rpcMethods(world: {
  ledger: Ledger;
  hidden: ReadonlySet<string>;
  moveTime(unixSeconds: number): void;
}): Map<string, RpcMethod> {
  return new Map(
    Object.entries({
      ...clusterMethods(world.ledger),
      ...accountMethods(world.ledger),
      ...transactionMethods(world),
      ...blockMethods(world),
      // Not a method of real clusters: the test clock uses it, like `evm_increaseTime` on EVM chains.
      sluice_moveTime(given: readonly unknown[]) {
        world.moveTime(parseParams(z.tuple([z.int().min(0)]), given, 1)[0]);
        return world.ledger.slots.at('processed');
      },
    }),
  );
}

function withContext(ledger: Ledger, commitment: Commitment, value: unknown) {
  return { context: { apiVersion: '2.3.0', slot: ledger.slots.at(commitment) }, value };
}

function clusterMethods(ledger: Ledger): Record<string, RpcMethod> {
  const { slots } = ledger;
  const slotAt: RpcMethod = (given) => slots.at(parseParams(z.tuple([config]), given, 1)[0].commitment);
  return {
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': '2.3.0-local', 'feature-set': 0 }),
    getGenesisHash: () => slots.genesisHash,
    getSlot: slotAt,
    getBlockHeight: slotAt,
    getFirstAvailableBlock: () => 0,
    minimumLedgerSlot: () => 0,
    getTransactionCount: () => ledger.landed.length,
    getEpochInfo(given) {
      const absoluteSlot = slots.at(parseParams(z.tuple([config]), given, 1)[0].commitment);
      const epoch = Math.floor(absoluteSlot / SLOTS_IN_EPOCH);
      const slotIndex = absoluteSlot % SLOTS_IN_EPOCH;
      const transactionCount = ledger.landed.length;
      return {
        absoluteSlot,
        blockHeight: absoluteSlot,
        epoch,
        slotIndex,
        slotsInEpoch: SLOTS_IN_EPOCH,
        transactionCount,
      };
    },
    getLatestBlockhash(given) {
      const [{ commitment }] = parseParams(z.tuple([config]), given, 1);
      const slot = slots.at(commitment);
      const value = { blockhash: slots.blockhash(slot), lastValidBlockHeight: slot + BLOCKHASH_SLOTS };
      return withContext(ledger, commitment, value);
    },
    isBlockhashValid(given) {
      const [blockhash, { commitment }] = parseParams(z.tuple([z.string(), config]), given, 2);
      return withContext(ledger, commitment, slots.slotOf(blockhash) !== undefined);
    },
    getMinimumBalanceForRentExemption(given) {
      const [bytes] = parseParams(z.tuple([z.int().min(0)]), given, 1);
      return ledger.rentExemption(bytes);
    },
    getFeeForMessage(given) {
      const [text, { commitment }] = parseParams(z.tuple([z.string(), config]), given, 2);
      const message = VersionedMessage.deserialize(Buffer.from(text, 'base64'));
      const isFresh = slots.slotOf(message.recentBlockhash) !== undefined;
      const fee = LAMPORTS_PER_SIGNATURE * BigInt(message.header.numRequiredSignatures);
      return withContext(ledger, commitment, isFresh ? fee : null);
    },
    getRecentPrioritizationFees: () => [{ slot: slots.at('processed'), prioritizationFee: 0 }],
  };
}

function accountMethods(ledger: Ledger): Record<string, RpcMethod> {
  const decimalsOf = (mint: string) => readMint(ledger.account(mint, 'processed'))?.decimals ?? 0;
  type Config = z.infer<typeof accountConfig>;
  const print = (account: SvmAccount | null, { encoding, dataSlice }: Config) =>
    account && printAccount(account, { encoding, dataSlice, decimalsOf });
  return {
    getBalance(given) {
      const [address, { commitment }] = parseParams(z.tuple([pubkey, config]), given, 2);
      return withContext(ledger, commitment, ledger.account(address, commitment)?.lamports ?? 0n);
    },
    getAccountInfo(given) {
      const [address, wanted] = parseParams(z.tuple([pubkey, accountConfig]), given, 2);
      return withContext(ledger, wanted.commitment, print(ledger.account(address, wanted.commitment), wanted));
    },
    getMultipleAccounts(given) {
      const [addresses, wanted] = parseParams(z.tuple([z.array(pubkey), accountConfig]), given, 2);
      if (addresses.length > ACCOUNTS_LIMIT) {
        throw new RpcError(-32602, `Too many inputs provided; max ${ACCOUNTS_LIMIT}`);
      }
      const accounts = addresses.map((address) => print(ledger.account(address, wanted.commitment), wanted));
      return withContext(ledger, wanted.commitment, accounts);
    },
    getTokenAccountBalance(given) {
      const [address, { commitment }] = parseParams(z.tuple([pubkey, config]), given, 2);
      const held = readTokenAccount(ledger.account(address, commitment));
      if (!held) throw new RpcError(-32602, 'Invalid param: could not find account');
      return withContext(ledger, commitment, printTokenAmount(held.amount, decimalsOf(held.mint)));
    },
    getTokenSupply(given) {
      const [address, { commitment }] = parseParams(z.tuple([pubkey, config]), given, 2);
      const mint = readMint(ledger.account(address, commitment));
      if (!mint) throw new RpcError(-32602, 'Invalid param: not a Token mint');
      return withContext(ledger, commitment, printTokenAmount(mint.supply, mint.decimals));
    },
    getTokenAccountsByOwner(given) {
      const schema = z.tuple([pubkey, params.tokenFilter, accountConfig]);
      const [owner, filter, wanted] = parseParams(schema, given, 3);
      if ('programId' in filter && !isTokenProgram(filter.programId)) {
        throw new RpcError(-32602, `Invalid param: unrecognized Token program id`);
      }
      const found = [...ledger.addresses()].flatMap((address) => {
        const account = ledger.account(address, wanted.commitment);
        const held = readTokenAccount(account);
        const isWanted = 'mint' in filter ? held?.mint === filter.mint : held?.program === filter.programId;
        return held?.owner === owner && isWanted ? [{ pubkey: address, account: print(account, wanted) }] : [];
      });
      return withContext(ledger, wanted.commitment, found);
    },
    requestAirdrop(given) {
      const [address, lamports] = parseParams(z.tuple([pubkey, z.int().positive()]), given, 2);
      return ledger.airdrop(address, BigInt(lamports));
    },
  };
}

function transactionMethods(world: { ledger: Ledger; hidden: ReadonlySet<string> }): Record<string, RpcMethod> {
  const { ledger, hidden } = world;
  const { slots } = ledger;
  return {
    sendTransaction(given) {
      const [text, wanted] = parseParams(z.tuple([z.string(), params.sendConfig]), given, 2);
      return sendTransaction(ledger, text, wanted);
    },
    simulateTransaction(given) {
      const [text, wanted] = parseParams(z.tuple([z.string(), params.simulateConfig]), given, 2);
      return withContext(ledger, 'processed', simulateTransaction(ledger, text, wanted));
    },
    getSignatureStatuses(given) {
      const [signatures] = parseParams(z.tuple([z.array(z.string()).max(STATUSES_LIMIT)]), given, 1);
      const statuses = signatures.map((signature) => {
        const landed = ledger.find(signature);
        if (!landed) return null;
        const { slot, err } = landed;
        const confirmationStatus = slots.commitmentOf(slot);
        const confirmations = confirmationStatus === 'finalized' ? null : slots.at('processed') - slot;
        return { slot, confirmations, err, status: err === null ? { Ok: null } : { Err: err }, confirmationStatus };
      });
      return withContext(ledger, 'processed', statuses);
    },
    getSignaturesForAddress(given) {
      const [address, wanted] = parseParams(z.tuple([pubkey, params.signaturesConfig]), given, 2);
      const newest = slots.at(wanted.commitment);
      const all = ledger.landedWith(address).toReversed();
      // An unknown signature limits nothing, as on a node that has pruned it.
      const from = wanted.before ? all.findIndex(({ signature }) => signature === wanted.before) + 1 : 0;
      const end = wanted.until ? all.findIndex(({ signature }) => signature === wanted.until) : -1;
      return all
        .slice(from, end < 0 ? undefined : end)
        .filter(({ slot }) => slot <= newest)
        .slice(0, wanted.limit)
        .map((landed) => ({
          signature: landed.signature,
          slot: landed.slot,
          err: landed.err,
          memo: memoOf(landed),
          blockTime: landed.blockTime,
          confirmationStatus: slots.commitmentOf(landed.slot),
        }));
    },
    getTransaction(given) {
      const [signature, wanted] = parseParams(z.tuple([z.string(), params.transactionConfig]), given, 2);
      const landed = ledger.find(signature);
      if (!landed || hidden.has(signature) || landed.slot > slots.at(wanted.commitment)) return null;
      return { slot: landed.slot, blockTime: landed.blockTime, ...printTransaction(landed, wanted) };
    },
  };
}

function blockMethods(world: { ledger: Ledger }): Record<string, RpcMethod> {
  const { ledger } = world;
  const { slots } = ledger;
  const timeOf = (slot: number, commitment: Commitment) => {
    const time = slot <= slots.at(commitment) ? slots.timeOf(slot) : undefined;
    const landed = time ?? ledger.landed.find((transaction) => transaction.slot === slot)?.blockTime;
    if (landed === undefined || slot > slots.at(commitment)) {
      throw new RpcError(-32004, `Block not available for slot ${slot}`);
    }
    return landed;
  };
  return {
    getBlockTime(given) {
      const [slot] = parseParams(z.tuple([z.int().min(0)]), given, 1);
      return timeOf(slot, 'processed');
    },
    getBlocks(given) {
      const [first, last, { commitment }] = parseParams(
        z.tuple([z.int().min(0), z.int().min(0).optional(), config]),
        given,
        3,
      );
      const end = Math.min(last ?? slots.at(commitment), slots.at(commitment), first + 500_000);
      return Array.from({ length: Math.max(0, end - first + 1) }, (_, index) => first + index);
    },
    getBlock(given) {
      const [slot, wanted] = parseParams(z.tuple([z.int().min(0), params.blockConfig]), given, 2);
      const block = {
        blockhash: slots.blockhash(slot),
        previousBlockhash: slots.blockhash(Math.max(0, slot - 1)),
        parentSlot: Math.max(0, slot - 1),
        blockHeight: slot,
        blockTime: timeOf(slot, wanted.commitment),
      };
      const landed = ledger.landed.filter((transaction) => transaction.slot === slot);
      switch (wanted.transactionDetails) {
        case 'none':
          return block;
        case 'signatures':
          return { ...block, signatures: landed.map(({ signature }) => signature) };
        case 'full':
          return {
            ...block,
            transactions: landed.map((transaction) => printTransaction(transaction, wanted)),
            rewards: [],
          };
        case 'accounts':
          throw new RpcError(-32602, 'transactionDetails "accounts" is not modelled here');
        default:
          return wanted.transactionDetails satisfies never;
      }
    },
  };
}
