import type { Database } from '../../../prisma/client.ts';
import { isFailed } from '../../platform/jobs.ts';

/** An occurrence that raises an alarm. `alarm` is the name of its rule in alerts.yml. */
export type Alarm = { alarm: string; at: Date; what: string };

export const ALARMS_LIMIT = 20;
const DAY_MS = 86_400_000;
const WORDS_LIMIT = 300;

/** Returns the latest occurrences of the last 30 days, newest first, at most 20: from the tables, in one statement, a few of each kind. */
export async function readAlarms(database: Database, now: Date): Promise<Alarm[]> {
  const since = new Date(now.getTime() - 30 * DAY_MS);
  return await database.$queryRaw<Alarm[]>`
    SELECT alarm, at, left(what, ${WORDS_LIMIT}) AS what FROM (
      (SELECT 'SluiceTransactionsFailed' AS alarm, updated_at AS at,
          'Chain ' || chain_id || ', ' || purpose || ': ' || coalesce(error, 'given up') AS what
        FROM outgoing_transaction WHERE status = 'FAILED' ORDER BY id DESC LIMIT ${ALARMS_LIMIT})
      UNION ALL
      (SELECT 'SluiceJobsFailed', updated_at, task_identifier || ': ' || coalesce(last_error, 'out of attempts')
        FROM graphile_worker.jobs WHERE ${isFailed} ORDER BY id DESC LIMIT ${ALARMS_LIMIT})
      UNION ALL
      (SELECT 'SluicePayoutUndelivered', credited_at, 'Chain ' || chain_id || ', ' || lower(role::text) || ' ' || recipient
        FROM credited_payout WHERE delivered_at IS NULL ORDER BY credited_at DESC LIMIT ${ALARMS_LIMIT})
      UNION ALL
      (SELECT 'SluicePayoutUndelivered', stuck_since, 'Chain ' || chain_id || ', deposit address ' || address || ': '
          || coalesce(stuck_reason, 'cannot be returned')
        FROM deposit_address WHERE stuck_since IS NOT NULL ORDER BY stuck_since DESC LIMIT ${ALARMS_LIMIT})
      UNION ALL
      (SELECT 'SluiceChainHalted', halted_at, 'Chain ' || chain_id || ': ' || coalesce(halt_reason, 'halted')
        FROM chain_cursor WHERE halted_at IS NOT NULL)
      UNION ALL
      (SELECT 'SluiceSenderLow', created_at, 'Chain ' || (content ->> 'chain') || ', key ' || (content ->> 'sender')
          || ' had ' || coalesce(content ->> 'balance', 'little') || ' left'
        FROM (SELECT DISTINCT ON (source) source, created_at, content FROM mail
          WHERE app_id IS NULL AND kind = 'MEMBER_LOW_BALANCE' AND created_at >= ${since}
          ORDER BY source, created_at) AS first_mail ORDER BY created_at DESC LIMIT ${ALARMS_LIMIT})
    ) AS occurred
    WHERE at >= ${since} ORDER BY at DESC, alarm LIMIT ${ALARMS_LIMIT}`;
}
