import type { Database, DatabaseTransaction } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { SolanaNodes } from '../chains/solana/open-solana-nodes.ts';
import { noteRelayFailure } from '../checkout/note-relay-failure.ts';
import type { Config } from '../config/config.ts';
import { describeRevert } from '../escrow/describe-revert.ts';
import { judgeRevert } from '../escrow/judge-revert.ts';
import type { OperatorSigner } from '../operator/operator-signer.ts';
import { type SendLimits, sendLimits } from '../operator/outgoing-transaction.ts';
import { pumpTransactions } from '../operator/pump-transactions.ts';
import type { OutgoingHooks } from '../operator/sending-world.ts';
import { pumpPayouts } from '../operator/solana/pump-payouts.ts';
import { heldInVaults } from '../payments/solana/held-in-vaults.ts';
import { keptShares } from '../payments/solana/kept-shares.ts';
import { paymentOutgoingHooks } from '../payments/transactions/payment-outgoing-hooks.ts';
import type { AdvisoryLocks } from '../platform/advisory-locks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { noteChargeFailure } from '../subscriptions/renewal/note-charge-failure.ts';

export type SendersWorld = {
  database: Database;
  clock: Clock;
  log: Log;
  registry: Registry;
  nodes: EvmNodes;
  config: Pick<Config, 'rpc'>;
  operator: OperatorSigner;
  /** A separate key, so that the operator can never resolve a dispute. */
  arbiter: OperatorSigner | null;
  locks: AdvisoryLocks;
  limits?: SendLimits;
  /** Nodes and secrets for payments on Solana. Without them, its payouts wait. */
  solana?: { nodes: SolanaNodes; keys: Pick<Config['solana'], 'vaultSecret' | 'operatorKey'> };
};

type Sender = { chainId: number; sender: string };

/** Returns a function that runs one turn of the pump for a sender on a chain. It ignores senders whose key is not held here. */
export function openPumps(world: SendersWorld): (sender: Sender, goOn?: () => void) => Promise<void> {
  const { database, clock, log, registry, nodes, operator, arbiter, locks } = world;
  const signers = new Map([operator, ...(arbiter ? [arbiter] : [])].map((one) => [one.address.toLowerCase(), one]));
  const hooks = paymentOutgoingHooks({ clock, registry, operator, relayFailed });
  return async ({ chainId, sender }, goOn) => {
    const chain = registry.chain(chainId);
    if (chain?.family === 'SOLANA') return await turnSolana(world, { chainId, hooks });
    const signer = signers.get(sender.toLowerCase());
    const settings = world.config.rpc.find((one) => one.chainId === chainId);
    if (!signer || !chain || !settings) return;
    await nodes.asking(chainId, (client) =>
      pumpTransactions({
        database,
        locks,
        clock,
        log,
        client,
        signer,
        chain: { chainId, confirmations: chain.confirmations, maxFeePerGasWei: settings.maxFeePerGasWei },
        hooks,
        describeRevert,
        judgeRevert,
        limits: world.limits ?? sendLimits,
        goOn,
      }),
    );
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
