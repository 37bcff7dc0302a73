import { type Context, type Event, ponder } from 'ponder:registry';
import { chainEvent, chainProgress } from 'ponder:schema';

type LogEvent = Event<'Token:Transfer'>;

const escrowEvents = [
  'Authorized',
  'Captured',
  'Voided',
  'Reclaimed',
  'Refunded',
  'Settled',
  'Disputed',
  'Resolved',
  'Charged',
  'Revoked',
  'Credited',
  'Claimed',
  'DepositReturned',
] as const;

for (const name of escrowEvents) {
  ponder.on(`Escrow:${name}`, async ({ event, context }) => {
    const { args } = event;
    const ref = 'id' in args ? args.id : null;
    const intent = 'intentId' in args ? args.intentId : null;
    await record({ event, context }, { kind: name, ref, intent, holder: null, args });
  });
}
ponder.on('Token:Transfer', async ({ event, context }) => {
  const { args } = event;
  await record({ event, context }, { kind: 'Transfer', ref: null, intent: null, holder: args.from, args });
});
ponder.on('Token:Approval', async ({ event, context }) => {
  const { args } = event;
  await record({ event, context }, { kind: 'Approval', ref: null, intent: null, holder: args.owner, args });
});
ponder.on('Progress:block', async ({ event, context }) => {
  const { number, hash } = event.block;
  await context.db
    .insert(chainProgress)
    .values({ chainId: context.chain.id, number, hash })
    .onConflictDoUpdate({ number, hash });
});

async function record(
  {
    event,
    context,
  }: { event: Pick<LogEvent, 'block' | 'transaction' | 'log'>; context: Pick<Context, 'db' | 'chain'> },
  fact: { kind: string; ref: string | null; intent: string | null; holder: `0x${string}` | null; args: object },
): Promise<void> {
  await context.db.insert(chainEvent).values({
    chainId: context.chain.id,
    id: `${event.block.hash}-${event.log.logIndex}`,
    blockNumber: event.block.number,
    blockHash: event.block.hash,
    blockTimestamp: event.block.timestamp,
    txHash: event.transaction.hash,
    logIndex: event.log.logIndex,
    address: event.log.address,
    kind: fact.kind,
    ref: fact.ref,
    intent: fact.intent,
    holder: fact.holder,
    args: withText(fact.args),
  });
}

/** JSON has no integers of this size, so all numbers, including those in structs, become decimal strings. */
function withText(args: object): object {
  return JSON.parse(
    JSON.stringify(args, (_, value: unknown) =>
      typeof value === 'bigint' || typeof value === 'number' ? String(value) : value,
    ),
  );
}
