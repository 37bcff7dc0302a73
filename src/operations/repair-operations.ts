/** Commands that repair data or drain the installation. */
import { isHex } from 'viem';
import { invalid, notFound } from '../errors.ts';
import { ESCROW_EDITION } from '../escrow/escrow-domain.ts';
import type { ChainLog } from '../facts/chain-fact.ts';
import { type LogSource, openLogSource } from '../facts/log-source.ts';
import { replayFacts } from '../facts/replay-facts.ts';
import { reportLogs } from '../facts/report-logs.ts';
import { repairPayouts } from '../payments/payouts/repair-payouts.ts';
import { isId } from '../platform/identifier.ts';
import { isFailed } from '../platform/jobs.ts';
import { checkTokens } from './check-tokens.ts';
import { drain } from './drain.ts';
import type { Operation, OperationsWorld, Row } from './operations-world.ts';
import { chainIdOf, wholeNumber } from './read-option.ts';

const ROWS = 200;

export const repairOperations: Record<string, Operation> = {
  replay: {
    usage: '<intentId>',
    options: [],
    hint: 'stuck',
    async run(world, { words }) {
      const id = words[0] ?? '';
      if (!isId(id)) throw invalid([{ param: 'intentId', message: 'must be a UUID' }]);
      return await replay(world, id);
    },
  },
  drain: {
    usage: '[--wait-seconds 600]',
    options: ['wait-seconds'],
    async run(world, { values }) {
      const limits = { least: 0, most: 86_400 };
      return await drain(world, {
        waitSeconds: wholeNumber(values['wait-seconds'] ?? '600', '--wait-seconds', limits),
      });
    },
  },
  'tokens check': {
    usage: '<chainId>',
    options: [],
    hint: 'lag',
    async run(world, { words }) {
      const chain = world.registry.chain(chainIdOf(words[0] ?? ''));
      if (!chain) throw notFound('chain');
      return await checkTokens(world, { chain });
    },
  },
  transfers: {
    usage: '<chainId>',
    options: [],
    run: async (world, { words }) => await unexpectedTransfers(world, chainIdOf(words[0] ?? '')),
  },
  'jobs failed': {
    usage: '',
    options: [],
    run: async ({ database }) =>
      await database.$queryRaw<Row[]>`
      SELECT id::text, task_identifier AS task, attempts, run_at::text AS "runAt", left(last_error, 200) AS error
      FROM graphile_worker.jobs WHERE ${isFailed} ORDER BY id LIMIT ${ROWS}`,
  },
  'jobs retry': {
    usage: '<id>',
    options: [],
    hint: 'jobs failed',
    async run({ database }, { words }) {
      const id = BigInt(wholeNumber(words[0] ?? '', 'id', { least: 1, most: 999_999_999_999 }));
      const rows = await database.$queryRaw<Row[]>`
        SELECT id::text, true AS queued
        FROM graphile_worker.reschedule_jobs(ARRAY[${id}::bigint], run_at := now(), attempts := 0)`;
      if (rows.length === 0) throw notFound('job');
      return rows.map(({ id: job, queued }) => ({ id: job ?? null, queued: queued ?? null }));
    },
  },
};

/**
 * Reads the intent's payments from their nodes again, with the claims of recipients that could not be paid, and lets the projector fold
 * them again. The projector folds a payment's credits together with all current claims, so claims are not folded separately.
 */
async function replay(world: OperationsWorld, id: string): Promise<Row[]> {
  const intent = await world.database.paymentIntent.findUnique({ where: { id }, include: { terms: true } });
  if (!intent) throw notFound('payment intent');
  const logs = openLogSource(world);
  const rows: Row[] = [];
  for (const { termsHash, chainId, edition } of intent.terms) {
    // All payments of the contract's first edition are finished, and their facts are no longer applied.
    if (!isHex(termsHash) || edition !== ESCROW_EDITION || world.registry.chain(chainId)?.family !== 'EVM') continue;
    const cursor = await world.database.chainCursor.findUnique({ where: { chainId } });
    const found = await logs.readPayment({ chainId, id: termsHash, from: cursor?.startNumber ?? 0n });
    const credits = await readCredits(world, logs, { chainId, paymentIntentId: id, from: cursor?.startNumber ?? 0n });
    const missed = await reportLogs(world, { logs: [...found, ...credits] });
    const { payouts } = await repairPayouts(world, { chainId, termsHash });
    const facts = await replayFacts(world, { chainId, ref: termsHash });
    const check = `npm run verify -- ${id}`;
    rows.push({ termsHash, chainId, factsMissed: missed, factsReplayed: facts, payoutsRepaired: payouts, check });
  }
  return rows;
}

/** Returns the credits and claims of every recipient that the intent's payments on a chain could not pay. */
async function readCredits(
  { database }: OperationsWorld,
  logs: LogSource,
  { chainId, paymentIntentId, from }: { chainId: number; paymentIntentId: string; from: bigint },
): Promise<ChainLog[]> {
  const owners = await database.creditedPayout.findMany({
    where: { chainId, paymentIntentId },
    distinct: ['recipient', 'token'],
    select: { recipient: true, token: true },
  });
  const found: ChainLog[] = [];
  for (const { recipient, token } of owners) {
    if (isHex(recipient) && isHex(token)) found.push(...(await logs.readCredits({ chainId, recipient, token, from })));
  }
  return found;
}

async function unexpectedTransfers({ database }: OperationsWorld, chainId: number): Promise<Row[]> {
  return await database.$queryRaw<Row[]>`
    SELECT transfer.address AS token, transfer.args ->> 'from' AS sender, transfer.args ->> 'value' AS amount,
      transfer.block_number::text AS block, transfer.tx_hash AS "txHash"
    FROM chain_fact transfer
    WHERE transfer.chain_id = ${chainId} AND transfer.kind = 'Transfer' AND transfer.status IN ('CONFIRMED', 'FINAL')
      AND transfer.args ->> 'value' <> '0'
      AND NOT EXISTS (SELECT 1 FROM chain_fact payment WHERE payment.chain_id = transfer.chain_id
        AND payment.block_hash = transfer.block_hash AND payment.tx_hash = transfer.tx_hash
        AND payment.kind IN ('Authorized', 'Charged'))
    ORDER BY transfer.block_number DESC LIMIT ${ROWS}`;
}
