/**
 * Transient database errors: the transaction was rolled back, and the same call may succeed a moment later. Only a lost
 * connection, or a server that stops responding, after COMMIT was sent leaves open whether it committed; a call with an
 * idempotency key can be repeated safely.
 */
import { GatewayError } from '../../errors.ts';
import { carriesCode } from './lock-fault.ts';

/**
 * `lock`: waited too long for a row. `timeout`: took too long. `busy`: no connection was free. `away`: the database did not
 * respond.
 */
export type DatabaseFault = 'lock' | 'timeout' | 'busy' | 'away';

/** SQLSTATEs, Prisma's codes, and the driver adapter's error kinds. */
const codes: Record<DatabaseFault, ReadonlySet<unknown>> = {
  // lock_not_available, deadlock_detected, serialization_failure
  lock: new Set(['55P03', '40P01', '40001', 'P2034', 'TransactionWriteConflict']),
  // query_canceled, idle_in_transaction_session_timeout, transaction_timeout
  timeout: new Set(['57014', '25P03', '25P04', 'P1008', 'P2028', 'SocketTimeout']),
  // too_many_connections
  busy: new Set(['53300', 'P2024', 'P2037', 'TooManyConnections']),
  // connection exceptions, shutdowns, insufficient resources, a standby that is read-only
  away: new Set([
    ...['08000', '08001', '08003', '08004', '08006', '08P01', '57P01', '57P02', '57P03', '57P05'],
    ...['53100', '53200', '25006'],
    ...['P1001', 'P1002', 'P1017', 'DatabaseNotReachable', 'ConnectionClosed'],
  ]),
};
const order: readonly DatabaseFault[] = ['lock', 'busy', 'away', 'timeout'];
const RETRY_SECONDS: Record<DatabaseFault, number> = { lock: 1, timeout: 1, busy: 1, away: 5 };

const messages: Record<DatabaseFault, string> = {
  lock: 'Another change of the same resource takes too long; try again.',
  timeout: 'The database took too long to respond. Try again.',
  busy: 'The service is too busy at the moment. Try again.',
  away: 'The database cannot be reached at the moment; try again.',
};

/** Classifies a transient database error; undefined for any other error. */
export function databaseFault(error: unknown): DatabaseFault | undefined {
  return order.find((fault) => carriesCode(error, codes[fault]));
}

/** The retryable error UNAVAILABLE for a transient database error. */
export function unavailable(fault: DatabaseFault, cause?: unknown): GatewayError {
  return new GatewayError('UNAVAILABLE', messages[fault], {
    meta: { fault },
    retryAfterSeconds: RETRY_SECONDS[fault],
    cause,
  });
}
