import { isAddress } from 'viem';
import { FOUND_REASON } from '../../payments/facts/record-steps.ts';
import type { Answer, OperationsWorld, Row } from '../operations-world.ts';
import { readPayouts } from '../payments/payout-operations.ts';
import { findLostPayments, lostRow } from './lost-payments.ts';

/** Row limit of each kind. `and` is the number of rows left out of a section. */
const ROWS = 200;

/**
 * Reports what a restore from a dump could not recover, and what to do about each item. Read-only and repeatable. The payments are those
 * that the indexer has read so far.
 */
export async function reportRestore(world: OperationsWorld): Promise<Answer> {
  const begun = await world.database.auditEntry.findFirst({
    where: { action: 'database.restored' },
    orderBy: { id: 'desc' },
  });
  const lost = await findLostPayments(world);
  const recoverable = lost.filter(({ belongsTo }) => belongsTo.kind !== 'NOTHING');
  const rows = (kind: 'INTENT' | 'CHARGE' | 'NOTHING') =>
    limited(lost.filter(({ belongsTo }) => belongsTo.kind === kind).map((one) => lostRow(world, one)));
  const sections: Record<string, Row[]> = {
    'The restore': begun
      ? [{ begunAt: begun.createdAt.toISOString(), ...fieldsOf(begun.after) }]
      : [{ begunAt: null, do: 'Stop all parts and run "npm run ops -- restore-begin" first.' }],
    'Payments of intents whose terms were lost: run "npm run ops -- restore-recover"': rows('INTENT'),
    'Charges of subscriptions whose terms were lost: run "npm run ops -- restore-recover"': rows('CHARGE'),
    'Payments for intents that were lost: notify the merchant; the contract settles or returns them after their deadlines':
      rows('NOTHING'),
    'Refunds that were restored from the chain: their reasons are unknown': await foundRefunds(world),
    'Undelivered payouts: credits and claims since the dump were restored from the chain': limited(
      await readPayouts(world),
    ),
    'Event sequences: the numbers in the gap belonged to events that are lost, or were never used':
      await sequences(world),
    'Sending keys: nonces used since the dump; the pump continues after them automatically': await senders(world),
    'Webhook endpoints: those created since are lost, those deleted since exist again; compare them with the merchants':
      await endpoints(world),
    'API keys and credentials: those created since are lost, those revoked since are valid again; rotate them':
      await keys(world),
    'Members: those invited since are lost, those removed since are members again': await members(world),
    'Test clock': await testClock(world),
    'Losses that the database does not show': unknowable,
  };
  const answers = Object.fromEntries(Object.entries(sections).filter(([, found]) => found.length > 0));
  if (!begun) return { sections: answers, fault: 'Stop all parts. Then try: npm run ops -- restore-begin' };
  if (recoverable.length === 0) return { sections: answers };
  return {
    sections: answers,
    fault: `${recoverable.length} payments can be recovered.\nTry: npm run ops -- restore-recover`,
  };
}

const unknowable: Row[] = [
  {
    what: 'Idempotency keys used since the dump',
    do: 'A request that is repeated with such a key is executed again. Ask merchants to search for the object before they repeat a request.',
  },
  {
    what: 'Webhooks delivered since the dump',
    do: 'Those that were undelivered in the dump are sent again with the same webhook-id. Receivers ignore them.',
  },
  {
    what: 'Intents, customers, plans, invoices and links created since the dump',
    do: 'Merchants must create them again. Links and checkout pages that payers still have return NOT_FOUND.',
  },
  {
    what: 'Subscriptions created, paused or cancelled since the dump',
    do: 'Cancelled ones are charged again in their next period unless their payers revoked the consent. Ask the merchants.',
  },
  {
    what: 'Settlements and refunds on Solana since the dump',
    do: 'The log contains "VAULT MOVED". Their vaults are empty, so nothing is paid out twice. "ops pending" lists the transactions that then wait, and "ops transaction abandon" abandons them.',
  },
  {
    what: 'Solana deposits for intents created since the dump',
    do: 'Each is in a vault whose key is derived from SOLANA_VAULT_SECRET and the ID of the intent, which the merchant or the payer may still have. The database does not contain them.',
  },
];

async function foundRefunds({ database }: OperationsWorld): Promise<Row[]> {
  const found = await database.refund.findMany({
    where: { reason: FOUND_REASON },
    orderBy: { id: 'desc' },
    take: ROWS,
    include: { transaction: { select: { txHash: true } } },
  });
  return found.map((row) => ({
    paymentIntentId: row.paymentIntentId,
    refundId: row.id,
    amount: row.amount.toFixed(),
    tokenKey: row.tokenKey,
    txHash: row.transaction.txHash,
  }));
}

async function sequences({ database }: OperationsWorld): Promise<Row[]> {
  return await database.$queryRaw<Row[]>`
    SELECT event.app_id::text AS "appId", previous::text AS "lastBefore", sequence::text AS "firstAfter" FROM (
      SELECT app_id, sequence, lag(sequence) OVER (PARTITION BY app_id ORDER BY sequence) AS previous FROM event
    ) event WHERE sequence > previous + 1 ORDER BY app_id, sequence LIMIT ${ROWS}`;
}

async function senders({ database, nodes }: OperationsWorld): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { chainId, address, nextNonce } of await database.operatorNonce.findMany({ take: ROWS })) {
    if (!isAddress(address)) continue;
    const used = await nodes
      .asking(chainId, (client) => client.getTransactionCount({ address, blockTag: 'pending' }))
      .catch(() => null);
    rows.push({ chainId, sender: address, nextNonce: String(nextNonce), usedOnChain: used });
  }
  return rows;
}

async function endpoints({ database }: OperationsWorld): Promise<Row[]> {
  const found = await database.webhookEndpoint.findMany({
    where: { active: true },
    orderBy: { id: 'asc' },
    take: ROWS,
  });
  return found.map(({ id, appId, url }) => ({ appId, endpointId: id, url }));
}

async function keys({ database, clock }: OperationsWorld): Promise<Row[]> {
  const apiKeys = await database.apiKey.findMany({
    where: { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: clock.now() } }] },
    orderBy: { id: 'asc' },
    take: ROWS,
  });
  const credentials = await database.platformCredential.findMany({ where: { revokedAt: null }, take: ROWS });
  return [
    ...apiKeys.map((key) => ({
      kind: key.kind as string,
      id: key.id,
      prefix: key.prefix,
      appId: key.appId as string | null,
    })),
    ...credentials.map((one) => ({ kind: one.role as string, id: one.id, prefix: one.prefix, appId: null })),
  ];
}

async function members({ database }: OperationsWorld): Promise<Row[]> {
  const found = await database.member.findMany({ where: { removedAt: null }, orderBy: { id: 'asc' }, take: ROWS });
  return found.map(({ merchantId, email, role, isOperator }) => ({ merchantId, email, role, isOperator }));
}

async function testClock({ database }: OperationsWorld): Promise<Row[]> {
  const clock = await database.testClock.findFirst({ where: { offsetMs: { not: 0 } } });
  if (!clock) return [];
  return [{ offsetSeconds: String(clock.offsetMs / 1000n), do: 'Advance it again to the time of the chains.' }];
}

function limited(rows: Row[]): Row[] {
  if (rows.length <= ROWS) return rows;
  return [...rows.slice(0, ROWS), { and: `${rows.length - ROWS} more` }];
}

function fieldsOf(after: unknown): Row {
  const row: Row = {};
  if (typeof after !== 'object' || after === null) return row;
  for (const [name, value] of Object.entries(after)) {
    if (typeof value === 'string' || typeof value === 'number' || value === null) row[name] = value;
  }
  return row;
}
