import { briefTransaction } from '../../../prisma/brief-transaction.ts';
import { type Database, Prisma } from '../../../prisma/client.ts';
import { claimFault, claiming, recording } from './claim.ts';
import { type FirstAnswer, firstAnswerOf } from './first-answer.ts';
import type { IdempotencyRequest } from './idempotency-request.ts';

export type BriefEffect<Read, Result> = {
  /** What the effect depends on: a query that returns at most one row and takes no locks. */
  reading: Prisma.Sql;
  /** Decides from that row (null if there is none) what to write. Throws in order to write nothing. */
  write: (read: Read | null) => Writing<Result>;
};

export type Writing<Result> = {
  /** The first answer stored for the key, which is also what the statement writes. */
  result: Result;
  /**
   * The statement, whose first row is the result as written. It must include `recorded` among its WITH queries, and the query
   * that takes the event cursor's lock must depend on `recorded` and on all others.
   */
  statement: (recorded: Prisma.Sql) => Prisma.Sql;
};

type Opened<Read> = { claimed: boolean; read: Read | null };

/**
 * `idempotently` for an effect of two statements: the first claims the key, checks the caller and reads; the second writes
 * everything. Reads are as of the start of the first statement; values without a JSON type arrive as strings. Errors are those of
 * `idempotently`, and replays return the same result and `replayed: true`; duplicates and replays take one or two more round
 * trips. Database errors from the second statement are rethrown unchanged. By the time the rows of the second statement are known,
 * the transaction has been committed and cannot be rolled back.
 */
export async function idempotentBriefTransaction<Read, Result>(
  database: Database,
  request: IdempotencyRequest | undefined,
  { reading, write }: BriefEffect<Read, Result>,
): Promise<FirstAnswer<Result>> {
  let hasOpened = false;
  const rows = await briefTransaction<Opened<Read>, Result>(database, {
    opening: (caller) => opening({ caller, reading, claim: request && claiming(request) }),
    writing({ claimed, read }) {
      hasOpened = true;
      if (!claimed) return null;
      const { result, statement } = write(read);
      return statement(request ? Prisma.sql`${recording(request, result)} RETURNING true` : Prisma.sql`SELECT true`);
    },
  }).catch((error: unknown) => {
    throw request && !hasOpened ? claimFault(error) : error;
  });
  if (rows) {
    const [result] = rows;
    if (result === undefined) throw new Error('The statement did not return the row that it wrote.');
    return { result, replayed: false };
  }
  if (!request) throw new Error('No idempotency key was claimed or requested.');
  return await firstAnswerOf<Result>(database, request);
}

/** The first statement; `claimed` is also true if there is no key to claim. */
function opening(parts: { caller: Prisma.Sql; reading: Prisma.Sql; claim: Prisma.Sql | undefined }): Prisma.Sql {
  const claim = parts.claim ?? Prisma.sql`SELECT true`;
  return Prisma.sql`
    WITH claim AS (${claim})
    SELECT ${parts.caller} AS caller, EXISTS (SELECT FROM claim) AS claimed,
      (SELECT to_jsonb(found.*) FROM (${parts.reading}) AS found) AS read`;
}
