/** A node that mines on request, a database, and senders with their own keys. */
import {
  createPublicClient,
  createTestClient,
  type Hex,
  http,
  type PublicClient,
  parseEther,
  publicActions,
  walletActions,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { transaction } from '../../prisma/client.ts';
import { startEvmNode } from '../../src/local/evm-node.ts';
import { enqueueTransaction, type NewOutgoing } from '../../src/operator/enqueue-transaction.ts';
import { openOperatorSigner } from '../../src/operator/operator-signer.ts';
import { type OutgoingOutcome, sendLimits } from '../../src/operator/outgoing-transaction.ts';
import { pumpTransactions } from '../../src/operator/pump-transactions.ts';
import type { SendingWorld } from '../../src/operator/sending-world.ts';
import { openAdvisoryLocks } from '../../src/platform/advisory-locks.ts';
import { silentLog } from '../../src/platform/log.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

export const chainId = 31337;
export const sink = '0x000000000000000000000000000000000000dEaD';

export async function openSendingGround() {
  const { database, url } = await freshDatabase({ poolSize: 8 });
  const node = await startEvmNode({ chainId, port: await freePort(), slotsInAnEpoch: 1 });
  onTeardown(() => node.stop());
  const settings = { transport: http(node.rpcUrl, { retryCount: 0 }), cacheTime: 0, pollingInterval: 20 };
  const client: PublicClient = createPublicClient(settings);
  const admin = createTestClient({ mode: 'anvil', ...settings })
    .extend(publicActions)
    .extend(walletActions);
  return { database, url, client, admin, rpcUrl: node.rpcUrl };
}

type Ground = Awaited<ReturnType<typeof openSendingGround>>;

/** A sender with gas, a clock that the test moves, and every outcome its hooks received. */
export async function openSender(ground: Ground, options: { confirmations?: number; capWei?: bigint } = {}) {
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  await ground.admin.setBalance({ address: account.address, value: parseEther('100') });
  const time = { now: Date.now() };
  const reported: { kind: 'SIGNED' | 'MINED' | 'FAILED'; outcome: OutgoingOutcome }[] = [];
  const hook =
    (kind: 'SIGNED' | 'MINED' | 'FAILED') =>
    async (_: unknown, outcome: OutgoingOutcome | readonly OutgoingOutcome[]) => {
      for (const one of [outcome].flat()) reported.push({ kind, outcome: one });
    };
  const openWorld = (overrides: Partial<SendingWorld> = {}): SendingWorld => {
    const locks = openAdvisoryLocks({ url: ground.url, log: silentLog });
    onTeardown(() => locks.close());
    return {
      database: ground.database,
      locks,
      clock: { now: () => new Date(time.now) },
      log: silentLog,
      client: ground.client,
      signer: openOperatorSigner({ privateKey }),
      chain: { chainId, confirmations: options.confirmations ?? 1, maxFeePerGasWei: options.capWei ?? 10n ** 12n },
      hooks: { onSigned: hook('SIGNED'), onMined: hook('MINED'), onFailed: hook('FAILED') },
      describeRevert: (data: Hex) => `revert ${data}`,
      classifyRevert: () => 'PASSES',
      limits: sendLimits,
      coinPrice: async () => null,
      ...overrides,
    };
  };
  const world = openWorld();
  const enqueue = (wanted: Partial<NewOutgoing> & { purpose: string }) =>
    transaction(ground.database, (tx) =>
      enqueueTransaction(tx, { chainId, sender: account.address, to: sink, data: '0x', valueWei: 1n, ...wanted }),
    );
  const row = (id: string) =>
    ground.database.outgoingTransaction.findUniqueOrThrow({ where: { id }, include: { attempts: true } });
  return {
    account,
    privateKey,
    world,
    openWorld,
    enqueue,
    row,
    reported,
    /** One turn of its pump, `ms` later. */
    turn: async (ms = 0) => {
      time.now += ms;
      return await pumpTransactions(world);
    },
    pass: (ms: number) => {
      time.now += ms;
    },
  };
}

/** Throws at random before or after any call of what it wraps, as a process that dies there would stop. */
export class Crash extends Error {}

export function crashing<Thing extends object>(thing: Thing, chance: () => boolean): Thing {
  return new Proxy(thing, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === 'object' && value !== null) return crashing(value, chance);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        if (chance()) throw new Crash();
        const wrapped = args.map((arg) =>
          name === '$transaction' && typeof arg === 'function'
            ? async (tx: object) => {
                const answer: unknown = await Reflect.apply(arg, undefined, [tx]);
                if (chance()) throw new Crash();
                return answer;
              }
            : arg,
        );
        const answer: unknown = await Reflect.apply(value, target, wrapped);
        if (chance()) throw new Crash();
        return answer;
      };
    },
  });
}
