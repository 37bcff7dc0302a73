/** Callers that wait for outcomes are woken when a block has been folded, and share what they read, however many wait. */
import { erc20Abi } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../../prisma/client.ts';
import { guardedDatabase } from '../../../prisma/guarded-database.ts';
import { appendEvents } from '../../../src/events/append-events.ts';
import type { Feed } from '../../../src/events/feed.ts';
import { settleX402Payment } from '../../../src/payments/x402/settle-x402-payment.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { countStatements } from '../../setup/database/count-statements.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';
import { gatewayFeed } from '../../setup/gateway/gateway-feed.ts';
import { openX402Ground, type X402Ground } from './x402-ground.ts';

const limit = { timeout: 240_000 };
const patience = { timeout: 60_000 };
/** Longer than any test, so that no timer answers a caller. */
const NEVER_MS = 3_600_000;
const ROUNDS = 5;

let gateway: Gateway;
let ground: X402Ground;
beforeAll(async () => {
  gateway = await openGateway();
  ground = await openX402Ground(gateway);
}, 240_000);

/**
 * Callers of one process. Each has a guarded database of its own, as requests of the API have. `waits` counts how often one began to wait,
 * and `waiting` has the numbers of those that have.
 */
function callersOf(feed: Feed) {
  const callers = {
    waits: 0,
    waiting: new Set<number>(),
    settle(body: object, number = 0) {
      const check = () => ({ query: null, verify: () => undefined });
      const watched: Pick<Feed, 'watch'> = {
        watch(appId) {
          const { changed, end } = feed.watch(appId);
          const counted = (deadline: number) => {
            callers.waits += 1;
            callers.waiting.add(number);
            return changed(deadline);
          };
          return { changed: counted, end };
        },
      };
      const world = { ...ground.world, feed: watched, database: guardedDatabase(gateway.database, { check }) };
      const input = { ...body, attemptId: `attempt-of-caller-${number}` };
      return settleX402Payment(world, { scope: ground.scope, input });
    },
  };
  return callers;
}

const pay = async (scheme: 'exact' | 'escrow') =>
  await ground.pay(gateway.evm.payers[0], await ground.offer(scheme, { maxTimeoutSeconds: 60 }));

/** An event of the app that does not concern the payment. */
const append = () =>
  transaction(gateway.database, (tx) =>
    appendEvents(tx, gateway.app.id, [{ type: 'customer.updated', resourceId: newId(), data: {} }]),
  );

/** The reads of payments among the statements that the gateway sends while the callers are woken several times. */
async function readsOfWaiting(callers: ReturnType<typeof callersOf>, count: number): Promise<string[]> {
  const statements = await countStatements(async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = callers.waits;
      await append();
      await expect.poll(() => callers.waits, patience).toBeGreaterThanOrEqual(before + count);
    }
  });
  return statements.filter((text) =>
    /FROM "public"."(exact_authorization|payment_terms|payment_intent|transaction)"/.test(text),
  );
}

describe.each(['exact', 'escrow'] as const)('callers that wait for a payment by %s', (scheme) => {
  it('receive the outcome when its notification arrives', limit, async () => {
    const callers = callersOf(await gatewayFeed(gateway, { slowPollMs: NEVER_MS }));
    const settling = callers.settle(await pay(scheme));
    await expect.poll(() => callers.waiting.size, patience).toBe(1);
    await gateway.settleDown();
    expect(await settling).toMatchObject({ success: true, replayed: false });
  });

  it('send as many statements with two hundred callers as with two', limit, async () => {
    const callers = callersOf(await gatewayFeed(gateway, { slowPollMs: NEVER_MS }));
    const body = await pay(scheme);
    const settling = [callers.settle(body, 1)];
    await expect.poll(() => callers.waiting.size, patience).toBe(1);
    settling.push(callers.settle(body, 2));
    await expect.poll(() => callers.waiting.size, patience).toBe(2);
    const ofTwo = await readsOfWaiting(callers, 2);
    for (let number = 3; number <= 200; number += 1) settling.push(callers.settle(body, number));
    await expect.poll(() => callers.waiting.size, patience).toBe(200);
    const ofMany = await readsOfWaiting(callers, 200);
    expect(new Set(ofMany)).toEqual(new Set(ofTwo));
    expect(ofTwo.length).toBeGreaterThanOrEqual(ROUNDS);
    // Another notification, such as the payment's own, may have woken them once or twice more.
    expect(ofMany.length).toBeLessThanOrEqual(2 * ofTwo.length);
    await gateway.settleDown();
    const outcomes = await Promise.all(settling);
    expect(outcomes.filter(({ success }) => success)).toHaveLength(200);
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it('receive the outcome by polling while no notifications are received', limit, async () => {
    const url = 'postgresql://nobody@127.0.0.1:1/none';
    const callers = callersOf(await gatewayFeed(gateway, { url, slowPollMs: NEVER_MS }));
    const settling = callers.settle(await pay(scheme));
    await expect.poll(() => callers.waiting.size, patience).toBe(1);
    await gateway.settleDown();
    expect(await settling).toMatchObject({ success: true, replayed: false });
  });

  it('receive the outcome by the next poll if a notification is lost', limit, async () => {
    const callers = callersOf(await gatewayFeed(gateway, { slowPollMs: 200 }));
    const settling = callers.settle(await pay(scheme));
    await expect.poll(() => callers.waiting.size, patience).toBe(1);
    // Nobody is notified of a row that is written outside the gateway.
    if (scheme === 'exact') {
      await gateway.database
        .$executeRaw`UPDATE exact_authorization SET status = 'FAILED', failure = 'EXPIRED' WHERE status = 'PENDING'`;
    } else {
      await gateway.database.$executeRaw`UPDATE payment_intent SET status = 'CANCELLED' WHERE status = 'CREATED'`;
    }
    expect(await settling).toMatchObject({ success: false, retryable: false });
  });
});

it('a caller receives the failure of a relay by the next poll, once the authorization has expired', limit, async () => {
  const callers = callersOf(await gatewayFeed(gateway, { slowPollMs: 200 }));
  const settling = callers.settle(await pay('escrow'));
  await expect.poll(() => callers.waiting.size, patience).toBe(1);
  const { evm } = gateway;
  const [payer, other] = evm.payers;
  const token = { address: evm.usdc.address, abi: erc20Abi } as const;
  const balance = await evm.publicClient.readContract({ ...token, functionName: 'balanceOf', args: [payer.address] });
  const hash = await evm
    .walletFor(payer.privateKey)
    .writeContract({ ...token, functionName: 'transfer', args: [other.address, balance] });
  await evm.publicClient.waitForTransactionReceipt({ hash });
  for (let round = 0; round < 6; round += 1) {
    await gateway.settleDown();
    await gateway.passTime(60);
  }
  expect(await settling).toMatchObject({ success: false, errorReason: 'transaction_failed' });
});
