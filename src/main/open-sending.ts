import type { PublicClient } from 'viem';
import type { Database, DatabaseTransaction } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { SolanaNodes } from '../chains/solana/open-solana-nodes.ts';
import { noteRelayFailure } from '../checkout/note-relay-failure.ts';
import type { Config } from '../config/config.ts';
import { batchAddress } from '../escrow/batch/batch-bytecode.ts';
import { classifyRevert } from '../escrow/classify-revert.ts';
import { describeRevert } from '../escrow/describe-revert.ts';
import type { OperatorSigner } from '../operator/operator-signer.ts';
import { type SendLimits, sendLimits } from '../operator/outgoing-transaction.ts';
import { pumpTransactions } from '../operator/pump-transactions.ts';
import { RELAY_SENDER, type Relay } from '../operator/relay.ts';
import type { OutgoingHooks, SendingWorld } from '../operator/sending-world.ts';
import { pumpPayouts } from '../operator/solana/pump-payouts.ts';
import { releaseRelayed } from '../operator/store.ts';
import { heldInVaults } from '../payments/solana/held-in-vaults.ts';
import { keptShares } from '../payments/solana/kept-shares.ts';
import { paymentOutgoingHooks } from '../payments/transactions/payment-outgoing-hooks.ts';
import { bookExactGas } from '../payments/x402/exact/book-exact-gas.ts';
import type { AdvisoryLocks } from '../platform/advisory-locks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { PriceBook } from '../prices/price-source.ts';
import { readCoinPrice } from '../prices/read-coin-price.ts';
import { noteChargeFailure } from '../subscriptions/renewal/note-charge-failure.ts';

export type SendersWorld = {
  database: Database;
  clock: Clock;
  log: Log;
  registry: Registry;
  /** Values the gas that the installation's keys pay for. */
  prices: PriceBook;
  nodes: EvmNodes;
  config: Pick<Config, 'rpc'>;
  operator: OperatorSigner;
  /** A separate key, so that the operator can never resolve a dispute. */
  arbiter: OperatorSigner | null;
  /** The keys that relay what needs no particular sender. The operator relays it if there are none. */
  senders?: readonly OperatorSigner[];
  locks: AdvisoryLocks;
  limits?: SendLimits;
  /** Nodes and secrets for payments on Solana. Without them, its payouts wait. */
  solana?: { nodes: SolanaNodes; keys: Pick<Config['solana'], 'vaultSecret' | 'operatorKey'> };
};

type Sender = { chainId: number; sender: string };
type Turn = (sender: Sender, options?: { goOn?: () => void; wake?: (sender: Sender) => void }) => Promise<void>;

/** A key that had no gas is tried again after this time. */
const REST_MS = 30_000;
/** Relayed transactions that a key took longer ago than this, and that no process with this key has signed, are taken by another key. */
const UNATTENDED_MS = 60_000;

/** The sender key that is woken for relayed transactions. It wakes the next key when its own limit of transactions in flight is reached. */
export function relayKeyOf({ operator, senders = [] }: Pick<SendersWorld, 'operator' | 'senders'>) {
  const [first = operator] = senders;
  return (queue: Sender): Sender =>
    queue.sender === RELAY_SENDER ? { ...queue, sender: first.address.toLowerCase() } : queue;
}

/** Returns a function that runs one turn of the pump for a sender on a chain. It ignores senders whose key is not held here. */
export function openPumps(world: SendersWorld): Turn {
  const { database, clock, log, registry, nodes, operator, arbiter, senders = [], locks } = world;
  const keys = [operator, ...(arbiter ? [arbiter] : []), ...senders];
  const signers = new Map(keys.map((one) => [one.address.toLowerCase(), one]));
  const keyOf = relayKeyOf(world);
  const relayOf = openRelay(senders.length > 0 ? senders : [operator]);
  const batchingOf = openBatching(registry);
  const hooks = bookExactGas(paymentOutgoingHooks({ clock, registry, operator, relayFailed }));
  return async (queue, { goOn, wake } = {}) => {
    const { chainId, sender } = keyOf(queue);
    const chain = registry.chain(chainId);
    if (chain?.family === 'SOLANA') return await turnSolana(world, { chainId, hooks });
    const signer = signers.get(sender.toLowerCase());
    const settings = world.config.rpc.find((one) => one.chainId === chainId);
    if (!chain || !settings) return;
    if (!signer) {
      const takenBefore = new Date(clock.now().getTime() - UNATTENDED_MS);
      return await releaseRelayed(database, { chainId, sender: sender.toLowerCase() }, { takenBefore });
    }
    await nodes.asking(chainId, async (client) => {
      await pumpTransactions({
        database,
        locks,
        clock,
        log,
        client,
        signer,
        chain: { chainId, confirmations: chain.confirmations, maxFeePerGasWei: settings.maxFeePerGasWei },
        hooks,
        describeRevert,
        classifyRevert,
        limits: world.limits ?? sendLimits,
        relay: relayOf(chainId, signer.address, wake),
        batching: await batchingOf(client, chainId),
        coinPrice: () => readCoinPrice(world, { coin: chain.native }),
        goOn,
      });
    });
  };
}

/** Returns a chain's contracts for batches; null while it has no batch contract. */
function openBatching(registry: Registry) {
  const found = new Set<number>();
  return async (client: PublicClient, chainId: number): Promise<SendingWorld['batching']> => {
    const escrow = registry.chain(chainId)?.escrow;
    if (!escrow) return null;
    if (!found.has(chainId)) {
      if ((await client.getCode({ address: batchAddress })) === undefined) return null;
      found.add(chainId);
    }
    return { batch: batchAddress, escrow };
  };
}

/** Returns the place of a key among the sender keys; undefined for other keys. */
function openRelay(senders: readonly OperatorSigner[]) {
  const restingUntil = new Map<string, number>();
  return (chainId: number, address: string, wake: ((sender: Sender) => void) | undefined): Relay | undefined => {
    const index = senders.findIndex((one) => one.address === address);
    if (index < 0) return undefined;
    const isResting = (one: OperatorSigner) =>
      (restingUntil.get(`${chainId}:${one.address}`) ?? Number.NEGATIVE_INFINITY) > performance.now();
    const next = senders[index + 1];
    return {
      isAlone: senders.length === 1,
      isResting: () => senders.some((one) => one.address === address && isResting(one)),
      rest() {
        restingUntil.set(`${chainId}:${address}`, performance.now() + REST_MS);
        return senders.every(isResting);
      },
      passOn: next && wake ? () => wake({ chainId, sender: next.address.toLowerCase() }) : undefined,
    };
  };
}

/** A relayed authorization belongs to a checkout or to a subscription charge. */
async function relayFailed(
  tx: DatabaseTransaction,
  failure: { paymentIntentId: string; error: string | null },
): Promise<void> {
  await noteRelayFailure(tx, failure);
  await noteChargeFailure(tx, failure);
}

/** There is one queue per chain. Each payout is signed by its vault's own key, and its fee is paid by the operator's Solana key. */
async function turnSolana(
  { database, locks, clock, log, solana }: SendersWorld,
  { chainId, hooks }: { chainId: number; hooks: OutgoingHooks },
): Promise<void> {
  const { vaultSecret, operatorKey } = solana?.keys ?? {};
  if (!solana || vaultSecret === undefined || operatorKey === undefined) {
    log.error({ chainId }, 'Payouts on Solana wait: SOLANA_VAULT_SECRET and SOLANA_OPERATOR_KEY are not set.');
    return;
  }
  await solana.nodes.asking(chainId, (connection) =>
    pumpPayouts({
      database,
      locks,
      clock,
      log,
      connection,
      chainId,
      keys: { vaultSecret, operatorKey },
      hooks,
      heldInVault: async (plan) => (await heldInVaults(database, { chainId, vaults: [plan] })).get(plan.vault) ?? 0n,
      keptFor: (owner) => keptShares(database, { chainId, ...owner }),
    }),
  );
}
