/** The watcher, payout pump and jobs of a gateway on Solana. They run only when a test calls them. */
import { newSolanaMemory, observeSolana } from '../../../src/facts/solana/observe-solana.ts';
import { factTable } from '../../../src/main/fact-table.ts';
import { jobTable, reactionTable } from '../../../src/main/job-table.ts';
import { openPumps } from '../../../src/main/open-sending.ts';
import { openVaultReader } from '../../../src/payments/solana/open-vault-reader.ts';
import type { openAdvisoryLocks } from '../../../src/platform/advisory-locks.ts';
import { openConsumers } from '../receivers/consume-events.ts';
import type { TestSolana } from './solana.ts';

type TurnsWorld = Omit<Parameters<typeof factTable>[0] & Parameters<typeof openPumps>[0], 'locks' | 'solana'> &
  Parameters<typeof jobTable>[0] &
  Pick<Parameters<typeof observeSolana>[0], 'solanaNodes'>;

type Base = {
  world: TurnsWorld;
  locks: ReturnType<typeof openAdvisoryLocks>;
  keys: { vaultSecret: string; operatorKey: string };
  solana: TestSolana;
};

const ROUNDS_LIMIT = 40;

export function openSolanaTurns(base: Base) {
  const { world, solana } = base;
  const { database, clock } = world;
  const turns = openTurns(base);
  const own = turns({ database, solanaNodes: world.solanaNodes });
  const jobs = jobTable(world, { wake: own.pump });
  const consume = openConsumers({ database, reactions: reactionTable(world) });
  const runDueJobs = async (): Promise<number> => {
    const consumed = (await consume()) ? 1 : 0;
    const due = await database.$queryRaw<{ id: bigint; name: string; payload: unknown }[]>`
      SELECT job.id, task.identifier AS name, job.payload FROM graphile_worker._private_jobs job
      JOIN graphile_worker._private_tasks task ON task.id = job.task_id
      WHERE job.run_at <= ${clock.now()} ORDER BY job.id`;
    for (const job of due) {
      await database.$queryRaw`SELECT id::text FROM graphile_worker.complete_jobs(ARRAY[${job.id}::bigint])`;
      await jobs.get(job.name)?.(job.payload);
    }
    return consumed + due.length;
  };
  const isSending = async () =>
    (await database.outgoingTransaction.count({
      where: {
        OR: [
          { status: { in: ['SIGNED', 'SENT'] } },
          { status: 'QUEUED', OR: [{ notBefore: null }, { notBefore: { lte: clock.now() } }] },
        ],
      },
    })) > 0;
  /** Runs everything that is due, on chain and in the gateway, until nothing is left to do. */
  const settleDown = async (): Promise<void> => {
    for (let round = 0; round < ROUNDS_LIMIT; round++) {
      solana.advance();
      await own.observe();
      const ran = await runDueJobs();
      await own.pump();
      solana.advance();
      await own.observe();
      if (ran === 0 && !(await isSending())) return;
    }
    throw new Error('The gateway did not become idle.');
  };
  return { turns, ...own, runDueJobs, settleDown };
}

/** One turn of the watcher and of the pump. The database and nodes may be `mortal`. */
function openTurns(base: Base) {
  const { chainId } = base.solana;
  return (resources: Pick<Parameters<typeof observeSolana>[0], 'database' | 'solanaNodes'>) => {
    const world = { ...base.world, ...resources, locks: base.locks };
    const handlers = factTable(world);
    const reader = openVaultReader(world);
    const memory = newSolanaMemory();
    const pumps = openPumps({ ...world, solana: { nodes: resources.solanaNodes, keys: base.keys } });
    return {
      observe: () => observeSolana({ ...world, handlers, reader, memory }, { chainId }),
      sweep: () => resources.solanaNodes.asking(chainId, (connection) => reader.sweep({ chainId, connection })),
      listened: () => reader.listened({ chainId, now: world.clock.now() }),
      pump: () => pumps({ chainId, sender: 'solana' }),
    };
  };
}
