/** Commands that manage payouts that could not be delivered to their recipients. */
import type { PayoutAcknowledgement, Prisma } from '../../../prisma/client.ts';
import { parseEvmAddress } from '../../chains/evm/evm-address.ts';
import { invalid } from '../../errors.ts';
import { SOLANA_SENDER } from '../../payments/actions/payout-order.ts';
import { acknowledgePayouts } from '../../payments/payouts/acknowledge-payouts.ts';
import { coveringAcknowledgement } from '../../payments/payouts/acknowledgement.ts';
import { formatPayout, printAddress } from '../../payments/payouts/payout-fields.ts';
import { unacknowledgePayouts } from '../../payments/payouts/unacknowledge-payouts.ts';
import type { Operation, OperationsWorld, Row } from '../operations-world.ts';
import { needed } from '../read-option.ts';

const ROWS = 200;
const NOTE_LENGTH = 500;

export const payoutOperations: Record<string, Operation> = {
  payouts: { usage: '', options: [], run: readPayouts },
  'payouts acknowledge': {
    usage: '<recipient> --token <key> --note <words>',
    options: ['token', 'note'],
    hint: 'payouts',
    async run(world, { words, values }) {
      const note = needed({ note: (values.note ?? '').trim() }, 'note');
      if (note.length > NOTE_LENGTH) {
        throw invalid([{ param: '--note', message: `must have at most ${NOTE_LENGTH} characters` }]);
      }
      const request = { recipient: recipientOf(words), tokenKey: needed(values, 'token'), note };
      const { acknowledgement, payouts } = await acknowledgePayouts(world, request);
      return [{ ...rowOf(acknowledgement), payouts, acknowledged: printAcknowledgement(acknowledgement) }];
    },
  },
  'payouts unacknowledge': {
    usage: '<recipient> --token <key>',
    options: ['token'],
    hint: 'payouts',
    async run(world, { words, values }) {
      const request = { recipient: recipientOf(words), tokenKey: needed(values, 'token') };
      return [{ ...rowOf(await unacknowledgePayouts(world, request)), acknowledged: null }];
    },
  },
};

type CreditedRow = {
  paymentIntentId: string;
  chainId: number;
  recipient: string;
  role: string;
  amount: Prisma.Decimal;
  tokenKey: string;
  creditedAt: Date;
  nextTryAt: Date;
} & { [Field in 'note' | 'acknowledgedBy' | 'acknowledgedAt']: PayoutAcknowledgement[Field] | null };

/**
 * Lists credited payouts, oldest first and in whole tokens, with those that an operator has acknowledged last; then settlements that wait
 * for their merchant to be payable; then Solana payouts with the reason why they wait.
 */
export async function readPayouts({
  database,
  registry,
}: Pick<OperationsWorld, 'database' | 'registry'>): Promise<Row[]> {
  const [credited, waiting, queued] = await Promise.all([
    database.$queryRaw<CreditedRow[]>`
      SELECT payout.payment_intent_id::text AS "paymentIntentId", payout.chain_id AS "chainId", payout.recipient,
        payout.role::text AS role, payout.amount, payout.token_key AS "tokenKey", payout.credited_at AS "creditedAt",
        payout.next_try_at AS "nextTryAt", acknowledgement.note,
        acknowledgement.acknowledged_by AS "acknowledgedBy", acknowledgement.acknowledged_at AS "acknowledgedAt"
      FROM credited_payout payout ${coveringAcknowledgement}
      WHERE payout.delivered_at IS NULL
      ORDER BY acknowledgement.id IS NOT NULL, payout.credited_at, payout.id LIMIT ${ROWS}`,
    database.paymentIntent.findMany({
      where: { status: 'CAPTURED', settlementCheckAt: { not: null } },
      orderBy: { timelockEndsAt: 'asc' },
      take: ROWS,
    }),
    readWaiting(database),
  ]);
  return [
    ...credited.map((payout) => ({
      paymentIntentId: payout.paymentIntentId,
      chainId: payout.chainId,
      recipient: printAddress(payout.recipient),
      role: payout.role,
      amount: formatPayout(registry, payout),
      tokenKey: payout.tokenKey,
      since: payout.creditedAt.toISOString(),
      next: `claimed from ${payout.nextTryAt.toISOString()}`,
      acknowledged: printAcknowledgement(payout),
    })),
    ...waiting.map((intent) => ({
      paymentIntentId: intent.id,
      chainId: intent.authorizationChainId,
      recipient: null,
      role: 'MERCHANT',
      amount: null,
      tokenKey: intent.authorizationTokenKey,
      since: intent.timelockEndsAt?.toISOString() ?? null,
      next: `settlement waits, next checked at ${intent.settlementCheckAt?.toISOString() ?? ''}`,
      acknowledged: null,
    })),
    ...queued,
  ];
}

/** Payouts on Solana that cannot be sent until a person acts. */
async function readWaiting(database: OperationsWorld['database']): Promise<Row[]> {
  const outgoing = await database.outgoingTransaction.findMany({
    where: { status: 'QUEUED', sender: SOLANA_SENDER, waitsSince: { not: null }, transactionId: { not: null } },
    orderBy: { waitsSince: 'asc' },
    take: ROWS,
  });
  const ids = outgoing.flatMap(({ transactionId }) => transactionId ?? []);
  const steps = await database.transaction.findMany({
    where: { id: { in: ids } },
    include: { paymentIntent: { select: { id: true, authorizationTokenKey: true } } },
  });
  return outgoing.flatMap(({ transactionId, waitsSince, error }) => {
    const step = steps.find(({ id }) => id === transactionId);
    if (!step) return [];
    return {
      paymentIntentId: step.paymentIntent.id,
      chainId: step.chainId,
      recipient: null,
      role: step.type,
      amount: null,
      tokenKey: step.paymentIntent.authorizationTokenKey,
      since: waitsSince?.toISOString() ?? null,
      next: error ?? '',
      acknowledged: null,
    };
  });
}

function recipientOf(words: readonly string[]): string {
  const address = parseEvmAddress(words[0] ?? '');
  if (address === null) throw invalid([{ param: 'recipient', message: 'must be an address, 0x and 40 hex digits' }]);
  return address;
}

function rowOf({ chainId, recipient, tokenKey }: PayoutAcknowledgement): Row {
  return { chainId, recipient: printAddress(recipient), tokenKey };
}

function printAcknowledgement({
  note,
  acknowledgedBy,
  acknowledgedAt,
}: Pick<CreditedRow, 'note' | 'acknowledgedBy' | 'acknowledgedAt'>): string | null {
  return acknowledgedAt === null ? null : `${acknowledgedAt.toISOString()} by ${acknowledgedBy}: ${note}`;
}
