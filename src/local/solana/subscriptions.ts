/**
 * The WebSocket side: account, logs, signature, slot and root subscriptions. Each subscription is notified of a transaction once its slot
 * has the requested commitment. Events that occur while a client is disconnected are not delivered later.
 */
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { type LandedTransaction, readTransaction } from './landed-transaction.ts';
import type { Ledger } from './ledger.ts';
import { printAccount } from './print-account.ts';
import { RpcError } from './rpc-error.ts';
import { accountConfig, config, parseParams, pubkey } from './rpc-params.ts';
import type { Commitment } from './slots.ts';
import { readMint } from './token-account.ts';

type Socket = Pick<WebSocket, 'send'>;

type Subscription = {
  socket: Socket;
  kind: 'account' | 'logs' | 'signature' | 'slot' | 'root';
  commitment: Commitment;
  /** Index of the first transaction in the ledger that has not been processed for this subscription. */
  next: number;
  /** Newest slot or root that was sent. */
  lastNotifiedSlot: number;
  /** Returns the notification for the transaction, or undefined if none is due. */
  resultFor(landed: LandedTransaction): unknown;
};

export type Subscriptions = {
  /** Returns the subscription's id, or undefined if the method does not concern subscriptions. */
  call(socket: Socket, method: string, params: readonly unknown[]): number | boolean | undefined;
  /** Sends every subscription what is new to it. */
  notifyAll(): void;
  forget(socket: Socket): void;
  count(): number;
};

export function openSubscriptions(world: { ledger: Ledger; print: (value: unknown) => string }): Subscriptions {
  const { ledger } = world;
  const open = new Map<number, Subscription>();
  let lastId = 0;
  const notify = (id: number, { socket, kind }: Subscription, result: unknown) =>
    socket.send(world.print({ jsonrpc: '2.0', method: `${kind}Notification`, params: { subscription: id, result } }));
  const notifySlots = (id: number, subscription: Subscription) => {
    const slot = ledger.slots.at(subscription.kind === 'root' ? 'finalized' : 'processed');
    if (slot === subscription.lastNotifiedSlot) return;
    subscription.lastNotifiedSlot = slot;
    const slotUpdate = { slot, parent: slot - 1, root: ledger.slots.at('finalized') };
    notify(id, subscription, subscription.kind === 'root' ? slot : slotUpdate);
  };
  const notifyTransactions = (id: number, subscription: Subscription) => {
    const newest = ledger.slots.at(subscription.commitment);
    for (;;) {
      const landed = ledger.landed[subscription.next];
      if (!landed || landed.slot > newest) return;
      subscription.next += 1;
      const value = subscription.resultFor(landed);
      if (value === undefined) continue;
      notify(id, subscription, { context: { slot: landed.slot }, value });
      if (subscription.kind === 'signature') open.delete(id);
    }
  };
  return {
    call(socket, method, given) {
      if (/^[a-z]+Unsubscribe$/.test(method)) {
        const [id] = parseParams(z.tuple([z.int()]), given, 1);
        return open.delete(id);
      }
      const subscription = subscribe(world, { socket, method, given });
      if (!subscription) return undefined;
      lastId += 1;
      open.set(lastId, subscription);
      return lastId;
    },
    notifyAll() {
      for (const [id, subscription] of open) {
        if (subscription.kind === 'slot' || subscription.kind === 'root') notifySlots(id, subscription);
        else notifyTransactions(id, subscription);
      }
    },
    count: () => open.size,
    forget(socket) {
      for (const [id, subscription] of open) if (subscription.socket === socket) open.delete(id);
    },
  };
}

const logsFilter = z.union([z.literal(['all', 'allWithVotes']), z.object({ mentions: z.array(pubkey).length(1) })]);

function subscribe(
  { ledger }: { ledger: Ledger },
  request: { socket: Socket; method: string; given: readonly unknown[] },
): Subscription | undefined {
  const { socket, method, given } = request;
  const { slots, landed } = ledger;
  switch (method) {
    case 'accountSubscribe': {
      const [address, wanted] = parseParams(z.tuple([pubkey, accountConfig]), given, 2);
      const next = firstAfter(ledger, wanted.commitment);
      const decimalsOf = (mint: string) => readMint(ledger.account(mint, 'processed'))?.decimals ?? 0;
      const resultFor = (transaction: LandedTransaction) => {
        if (!keysOf(transaction).includes(address)) return undefined;
        const account = ledger.account(address, wanted.commitment) ?? gone;
        return printAccount(account, { ...wanted, decimalsOf });
      };
      return { socket, kind: 'account', commitment: wanted.commitment, next, lastNotifiedSlot: 0, resultFor };
    }
    case 'logsSubscribe': {
      const [filter, { commitment }] = parseParams(z.tuple([logsFilter, config]), given, 2);
      const resultFor = (transaction: LandedTransaction) => {
        const { signature, err, logs } = transaction;
        const isMeant = typeof filter === 'string' || keysOf(transaction).includes(filter.mentions[0] ?? '');
        return isMeant ? { signature, err, logs } : undefined;
      };
      return { socket, kind: 'logs', commitment, next: firstAfter(ledger, commitment), lastNotifiedSlot: 0, resultFor };
    }
    case 'signatureSubscribe': {
      const [signature, { commitment }] = parseParams(z.tuple([z.string(), config]), given, 2);
      const resultFor = (transaction: LandedTransaction) =>
        transaction.signature === signature ? { err: transaction.err } : undefined;
      // A transaction that has already landed is notified at once.
      const known = landed.findIndex((transaction) => transaction.signature === signature);
      const next = known < 0 ? landed.length : known;
      return { socket, kind: 'signature', commitment, next, lastNotifiedSlot: 0, resultFor };
    }
    case 'slotSubscribe':
      return {
        socket,
        kind: 'slot',
        commitment: 'processed',
        next: 0,
        lastNotifiedSlot: slots.at('processed'),
        resultFor: nothing,
      };
    case 'rootSubscribe':
      return {
        socket,
        kind: 'root',
        commitment: 'finalized',
        next: 0,
        lastNotifiedSlot: slots.at('finalized'),
        resultFor: nothing,
      };
    default:
      if (method.endsWith('Subscribe')) throw new RpcError(-32601, `${method} is not modelled here`);
      return undefined;
  }
}

const nothing = () => undefined;
const gone = { lamports: 0n, owner: '11111111111111111111111111111111', data: new Uint8Array(), executable: false };

/** Returns the index of the first transaction that has not reached the commitment yet. */
function firstAfter({ landed, slots }: Ledger, commitment: Commitment): number {
  const newest = slots.at(commitment);
  return landed.findLastIndex(({ slot }) => slot <= newest) + 1;
}

function keysOf({ raw }: LandedTransaction): string[] {
  return readTransaction(Buffer.from(raw, 'base64')).keys;
}
