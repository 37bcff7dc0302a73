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
    'Payments for intents that were lost: notify the merchant; the contract settles or returns them by time':
      rows('NOTHING'),
    'Refunds that came back from the chain: their reasons are not known': await foundRefunds(world),
    'Payouts that are undelivered: credits and claims since the dump came back from the chain': limited(
      await readPayouts(world),
    ),
    'Event sequences: the numbers between were given to events that are lost, or to none': await sequences(world),
    'Keys that send: nonces used since the dump; the pump goes on after them by itself': await senders(world),
    'Webhook endpoints: those made since are lost, those deleted since are back; compare with the merchants':
      await endpoints(world),
    'API keys and credentials: those made since are lost, those revoked since are good again; rotate them':
      await keys(world),
    'Members: those invited since are lost, those removed since are back': await members(world),
    'Test clock': await testClock(world),
    'What no row records': unknowable,
  };
  const answers = Object.fromEntries(Object.entries(sections).filter(([, found]) => found.length > 0));
  if (!begun) return { sections: answers, fault: 'Try: npm run ops -- restore-begin, while all parts are stopped' };
  if (recoverable.length === 0) return { sections: answers };
  return {
    sections: answers,
    fault: `${recoverable.length} payments can be recovered.\nTry: npm run ops -- restore-recover`,
  };
}

const unknowable: Row[] = [
  {
    what: 'Idempotency keys used since the dump',
    do: 'A request that is repeated with one is carried out again. Ask merchants to look for the object before they repeat.',
  },
  {
    what: 'Webhooks delivered since the dump',
    do: 'Those that the dump had as undelivered are sent again with the same webhook-id, which receivers ignore.',
  },
  {
    what: 'Intents, customers, plans, invoices and links made since the dump',
    do: 'Merchants create them again. Links and checkout pages that payers hold answer NOT_FOUND.',
  },
  {
    what: 'Subscriptions made, paused or cancelled since the dump',
    do: 'Those cancelled are charged again at their next period unless their payers revoked the consent: ask the merchants.',
  },
  {
    what: 'Settlements and refunds on Solana since the dump',
    do: 'The log says "VAULT MOVED". Their vaults are empty, so that nothing is paid out twice; "ops pending" shows what then waits, and "ops transaction abandon" gives it up.',
  },
  {
    what: 'Solana deposits for intents made since the dump',
    do: 'Each lies in a vault whose key is derived from SOLANA_VAULT_SECRET and the id of the intent, which the merchant or the payer may have kept. Nothing here names them.',
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
  return [{ offsetSeconds: String(clock.offsetMs / 1000n), do: 'Advance it again to where the chains are.' }];
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
