import type { Address } from 'viem';
import type { Database, ExactAuthorization } from '../../../../prisma/client.ts';
import type { EvmNodes } from '../../../chains/evm/nodes.ts';
import type { Clock } from '../../../platform/clock.ts';
import { awaitOutcome, readTogether, type WaitingWorld } from '../await-outcome.ts';
import { readUnderWay } from '../under-way.ts';
import { isSameAttempt } from '../x402-types.ts';
import { type Acceptance, acceptExact } from './accept-exact.ts';
import { describeFailure, paymentKeyOf } from './exact-authorization.ts';
import { findAuthorization } from './store.ts';
import { verifyExact } from './verify-exact.ts';

export type ExactWorld = WaitingWorld & {
  database: Database;
  clock: Clock;
  nodes: EvmNodes;
  operator: { address: Address };
};

/**
 * The outcome of a settlement. `transaction` is empty while none is known. `retryable`: the outcome is not known yet. `replayed`: the same
 * success has been reported to another attempt.
 */
export type ExactSettlement = {
  success: boolean;
  transaction: string;
  reason: string | null;
  message: string | null;
  retryable: boolean;
  replayed: boolean;
  paymentIntentId: string | null;
};

export type ExactSettling = Omit<Acceptance, 'headNumber' | 'balance' | 'reserved' | 'by'> & {
  /** Called for an authorization that was not accepted before. Throws PRICE_UNAVAILABLE. */
  by: () => Promise<Acceptance['by']>;
  attemptId: string | null;
  waitMs: number;
};

const NONCE_USED = 'invalid_exact_evm_nonce_already_used';

/**
 * Settles an authorization once, regardless of the number of requests and callers, and waits until its outcome is confirmed on the
 * chain, at most `waitMs`. Returns `settlement_pending` while it is not; a repeated call returns the outcome. One that was accepted for
 * another purpose is refused. Throws CHAIN_UNAVAILABLE and PRICE_UNAVAILABLE before anything is written.
 */
export async function settleExact(world: ExactWorld, request: ExactSettling): Promise<ExactSettlement> {
  const accepted = await findExact(world.database, request);
  if (accepted) return await followTo(world, { authorization: accepted, request });
  const { token, signed } = request;
  const by = await request.by();
  const wallet = { chainId: token.chainId, tokenKey: token.key, payer: signed.from };
  const { amount: reserved } = await readUnderWay(world.database, wallet);
  const verdict = await verifyExact(world, { ...request, reserved });
  if (!verdict.isValid) {
    // A concurrent call may have accepted it, and its transfer may have been mined, since it was looked up.
    const meanwhile = await findExact(world.database, request);
    if (meanwhile) return await followTo(world, { authorization: meanwhile, request });
    return refused(verdict);
  }
  const acceptance = await acceptExact(world, { ...request, ...verdict, by, reserved });
  if ('refusal' in acceptance) return refused(acceptance.refusal);
  return await followTo(world, { authorization: acceptance.authorization, request });
}

/** The authorization of this token, payer and nonce, if it was accepted before. */
export async function findExact(
  database: Pick<Database, 'exactAuthorization'>,
  { token, signed }: Pick<Acceptance, 'token' | 'signed'>,
): Promise<ExactAuthorization | null> {
  const paymentKey = paymentKeyOf({ token: token.address, payer: signed.from, nonce: signed.nonce });
  return await findAuthorization(database, { chainId: token.chainId, paymentKey });
}

/** Whether an accepted authorization is the one of this request: for the same app, purpose and payment, to the last unit and second. */
export function isSameRequest(
  authorization: ExactAuthorization,
  { app, purpose, signed }: Pick<Acceptance, 'purpose' | 'signed'> & { app: { id: string } },
): boolean {
  return (
    authorization.appId === app.id &&
    authorization.purpose === purpose &&
    authorization.payTo === signed.to.toLowerCase() &&
    BigInt(authorization.amount.toFixed()) === signed.value &&
    authorization.validAfter === signed.validAfter &&
    authorization.validBefore === signed.validBefore
  );
}

async function followTo(
  world: ExactWorld,
  { authorization, request }: { authorization: ExactAuthorization; request: ExactSettling },
): Promise<ExactSettlement> {
  if (!isSameRequest(authorization, request)) {
    return refused({ reason: NONCE_USED, message: 'The authorization was presented for another payment before.' });
  }
  const { id, appId } = authorization;
  const { known } = await awaitOutcome(world, { appId, waitMs: request.waitMs }, async () => {
    const found = await readKnown(world.database, id);
    return { known: found, isKnown: found !== undefined };
  });
  if (known) return await outcome(world, { authorization: known, attemptId: request.attemptId });
  return pending(await world.database.exactAuthorization.findUniqueOrThrow({ where: { id } }));
}

/** The authorization if it is no longer pending. */
const readKnown = readTogether<string, ExactAuthorization>(
  (id) => id,
  async (database, ids) => {
    const where = { id: { in: [...ids] }, status: { not: 'PENDING' as const } };
    const rows = await database.exactAuthorization.findMany({ where });
    return new Map(rows.map((row) => [row.id, row]));
  },
);

/** The first attempt to which the success is reported is stored with it. */
async function outcome(
  { database, clock }: ExactWorld,
  { authorization, attemptId }: { authorization: ExactAuthorization; attemptId: string | null },
): Promise<ExactSettlement> {
  const { id, status, failure, txHash, paymentIntentId } = authorization;
  const found = { transaction: txHash ?? '', retryable: false, paymentIntentId };
  if (status === 'FAILED' && failure !== null) {
    return { ...found, success: false, replayed: false, ...describeFailure(failure) };
  }
  const first = await database.exactAuthorization.updateMany({
    where: { id, answeredAt: null },
    data: { answeredAt: clock.now(), answeredTo: attemptId },
  });
  const paid = { ...found, success: true, reason: null, message: null };
  if (first.count > 0) return { ...paid, replayed: false };
  const { answeredTo } = await database.exactAuthorization.findUniqueOrThrow({
    where: { id },
    select: { answeredTo: true },
  });
  return { ...paid, replayed: !isSameAttempt(answeredTo, attemptId) };
}

function pending({ txHash, paymentIntentId }: ExactAuthorization): ExactSettlement {
  return {
    success: false,
    transaction: txHash ?? '',
    reason: 'settlement_pending',
    message:
      'The outcome is not known yet. Repeat the same call to receive it, and do not ask the payer to sign again.',
    retryable: true,
    replayed: false,
    paymentIntentId,
  };
}

function refused({ reason, message }: { reason: string; message: string }): ExactSettlement {
  const nothing = { transaction: '', retryable: false, replayed: false, paymentIntentId: null };
  return { ...nothing, success: false, reason, message };
}
