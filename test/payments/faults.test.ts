/** A projector that dies at any of its steps, and one that never did, come to the same state; one payment stops no other. */
import { beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../prisma/client.ts';
import { refundCall } from '../../src/escrow/calldata.ts';
import { applyFacts } from '../../src/facts/apply-facts.ts';
import { newChainMemory, readChainView } from '../../src/facts/chain-view.ts';
import type { FactGroup, FactHandler, FactHandlers } from '../../src/facts/fact-handler.ts';
import { newProjectorMemory, observeChain } from '../../src/facts/observe-chain.ts';
import { DIRTY_LIMIT } from '../../src/facts/store.ts';
import { crashing, crashingNodes, runUntilCrash } from '../setup/gateway/crashing.ts';
import { type Ground, openGround, projectorWorld, returningHooks } from './ground.ts';

let ground: Ground;

beforeAll(async () => {
  ground = await openGround();
  await ground.observe();
});

/** One turn that dies at the given step; answers how many steps it took. */
async function turn(crashesAt: number): Promise<{ steps: number; crashed: boolean }> {
  return await runUntilCrash(crashesAt, async (crash) => {
    const database = crashing(ground.database, crash);
    const nodes = crashingNodes(ground.nodes, crash);
    const world = projectorWorld({ ...ground, database, nodes }, returningHooks(ground.evm));
    await observeChain({ ...world, memory: newProjectorMemory() }, { chainId: ground.evm.chainId });
  });
}

async function pay() {
  const intent = await ground.intent();
  const signed = await ground.sign(intent);
  await ground.authorize(signed);
  return { intent, signed };
}

// Each is some thirty runs, on a machine that may do other things besides.
describe('a projector that is killed', { timeout: 300_000 }, () => {
  it('applies a payment once, whichever step it is killed at', async () => {
    let crashesAt = 1;
    for (let done = false; !done; crashesAt += 1) {
      const { intent, signed } = await pay();
      const { crashed } = await turn(crashesAt);
      done = !crashed;
      await ground.observe();
      expect(await ground.events(intent.id), `killed at step ${crashesAt}`).toEqual(['authorized', 'captured']);
      expect(await ground.held(signed.id)).toBe(10_000_000n);
      const rows = await ground.database.transaction.count({ where: { paymentIntentId: intent.id } });
      expect([(await ground.read(intent.id)).status, rows]).toEqual(['CAPTURED', 2]);
    }
    expect(crashesAt).toBeGreaterThan(25);
  });

  it('reverts a payment once and refunds once, whichever step it is killed at', async () => {
    const { escrow, merchant } = ground.evm;
    for (let crashesAt = 12; crashesAt < 60; crashesAt += 4) {
      const { intent, signed } = await pay();
      await ground.observe();
      await ground.send(merchant, refundCall({ escrow, ...signed, amount: 1_000_000n, expectedLeft: 10_000_000n }));
      await turn(crashesAt);
      await ground.observe();
      await ground.evm.reorg(1);
      await turn(crashesAt);
      await ground.observe();
      expect(await ground.events(intent.id), `killed at step ${crashesAt}`).toEqual([
        'authorized',
        'captured',
        'partially_refunded',
        'reverted',
      ]);
      expect(await ground.held(signed.id)).toBe(10_000_000n);
      expect((await ground.read(intent.id)).leftAmount?.toFixed()).toBe('10000000');
    }
  });
});

describe('a payment that cannot be written', () => {
  const payThree = async () => [await pay(), await pay(), await pay()] as const;
  const eventsOf = async (payments: readonly { intent: { id: string } }[]) =>
    await Promise.all(payments.map(({ intent }) => ground.events(intent.id)));
  const captured = ['authorized', 'captured'];

  it('waits while its row is locked, without delaying the others of its batch', async () => {
    const payments = await payThree();
    const held = payments[1].intent.id;
    await transaction(ground.database, async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM payment_intent WHERE id = ${held}::uuid FOR UPDATE`;
      expect((await ground.observe()).waiting).toBe(1);
      expect(await eventsOf(payments)).toEqual([captured, [], captured]);
    });
    expect((await ground.observe()).waiting).toBe(0);
    expect(await eventsOf(payments)).toEqual([captured, captured, captured]);
  });

  it('is retried alone after a database error, without delaying the others of its batch', async () => {
    const payments = await payThree();
    const refused = payments[0].signed.id;
    await ground.database.$executeRawUnsafe(
      `ALTER TABLE ledger_entry ADD CONSTRAINT refused CHECK (terms_hash <> '${refused}') NOT VALID`,
    );
    expect((await ground.observe()).waiting).toBe(1);
    expect(await eventsOf(payments)).toEqual([[], captured, captured]);
    const after = await pay();
    expect((await ground.observe()).waiting).toBe(1);
    expect(await eventsOf([payments[0], after])).toEqual([[], captured]);
    await ground.database.$executeRawUnsafe('ALTER TABLE ledger_entry DROP CONSTRAINT refused');
    expect((await ground.observe()).waiting).toBe(0);
    expect(await eventsOf([...payments, after])).toEqual([captured, captured, captured, captured]);
    expect(await ground.held(refused)).toBe(10_000_000n);
  });

  it('is retried alone if it cannot be read, without delaying others, and is reported if that lasts', async () => {
    const payments = await payThree();
    const unread = payments[0].signed.id;
    const stuck: (string | null)[] = [];
    const world = {
      ...ground.world,
      handlers: refusing((group) => group.ref === unread),
      memory: newProjectorMemory(),
      observer: { stuck: ({ ref }: { ref: string | null }) => stuck.push(ref) },
    };
    const observe = () => observeChain(world, { chainId: ground.evm.chainId });
    expect((await observe()).waiting).toBe(1);
    expect(await eventsOf(payments)).toEqual([[], captured, captured]);
    const after = await pay();
    expect((await observe()).waiting).toBe(1);
    expect([await eventsOf([payments[0], after]), stuck]).toEqual([[[], captured], []]);
    await ground.evm.mine(1);
    await observe();
    expect(stuck).toEqual([unread]);
    expect((await ground.observe()).waiting).toBe(0);
    expect(await eventsOf([payments[0]])).toEqual([captured]);
  });

  it('does not reduce the number of other payments in a batch', async () => {
    const { intent, signed } = await pay();
    const { chainId } = ground.evm;
    await observeChain({ ...ground.world, handlers: refusing(() => true), memory: newProjectorMemory() }, { chainId });
    const waits = await ground.database.chainFact.findFirstOrThrow({ where: { ref: signed.id } });
    // Below it, and of a payment each: a turn takes at most so many facts besides those that waited before.
    const many = Array.from({ length: DIRTY_LIMIT + 100 }, (_, index) => ({
      ...waits,
      args: {},
      blockNumber: waits.blockNumber - 1n,
      ref: `0x${(index + 1).toString(16).padStart(64, '0')}`,
      logIndex: 1_000 + index,
    }));
    await ground.database.chainFact.createMany({ data: many });
    const refs = new Set<string | null>(many.map((fact) => fact.ref));
    const handlers = refusing((group) => refs.has(group.ref));
    const world = { ...ground.world, handlers, memory: newProjectorMemory() };
    const chain = ground.registry.chain(chainId);
    if (!chain) throw new Error('No chain.');
    const view = await readChainView({ nodes: ground.nodes, memory: newChainMemory() }, chain);
    expect(await applyFacts(world, { view })).toEqual({ waiting: DIRTY_LIMIT, more: false });
    expect(await ground.events(intent.id)).toEqual([]);
    expect((await applyFacts(world, { view })).waiting).toBe(DIRTY_LIMIT + 100);
    expect(await ground.events(intent.id)).toEqual(captured);
    expect(await ground.held(signed.id)).toBe(10_000_000n);
    await ground.database.chainFact.deleteMany({ where: { ref: { in: many.map((fact) => fact.ref) } } });
  });
});

/** The payments' own handlers, of which some groups cannot be read. */
function refusing(isRefused: (group: FactGroup) => boolean): FactHandlers {
  const refused = new Error('A row that says what nobody expected.');
  const wrapped = new Map<FactHandler, FactHandler>();
  for (const handler of ground.world.handlers.values()) {
    wrapped.set(handler, {
      ...handler,
      async prepare(group) {
        if (isRefused(group)) throw refused;
        return await handler.prepare(group);
      },
      async prepareTogether(groups) {
        if (groups.some(isRefused)) throw refused;
        return (await handler.prepareTogether?.(groups)) ?? [];
      },
    });
  }
  return new Map([...ground.world.handlers].map(([kind, handler]) => [kind, wrapped.get(handler) ?? handler]));
}
