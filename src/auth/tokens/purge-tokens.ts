import type { Database } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';

/** Longer than any code, nonce or login has an effect; wrong codes, which count for a day, have the longest. */
const KEPT_MS = 2 * 86_400_000;
const BATCH = 5_000;
const MAX_BATCHES = 200;

/**
 * Deletes one-time passwords, codes of checkout sessions, account proofs, dashboard logins and signing keys that no longer have an effect, in batches, so that no
 * statement locks many rows. Returns the number of deleted rows.
 */
export async function purgeTokens({ database, clock }: { database: Database; clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - KEPT_MS);
  const steps = [
    () => database.$executeRaw`
      DELETE FROM one_time_password WHERE id IN (
        SELECT id FROM one_time_password WHERE created_at < ${before} LIMIT ${BATCH})`,
    () => database.$executeRaw`
      DELETE FROM checkout_code WHERE code_hash IN (
        SELECT code_hash FROM checkout_code WHERE expires_at < ${before} LIMIT ${BATCH})`,
    () => database.$executeRaw`
      DELETE FROM account_proof WHERE (account, nonce) IN (
        SELECT account, nonce FROM account_proof WHERE created_at < ${before} LIMIT ${BATCH})`,
    () => database.$executeRaw`
      DELETE FROM member_session WHERE id IN (
        SELECT id FROM member_session WHERE expires_at < ${before} LIMIT ${BATCH})`,
    () => database.$executeRaw`DELETE FROM signing_key WHERE expires_at < ${before}`,
  ];
  let purged = 0;
  for (const step of steps) {
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const count = await step();
      purged += count;
      if (count < BATCH) break;
    }
  }
  return purged;
}
