import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../prisma/client.ts';
import { Prisma } from '../../prisma/client.ts';
import { scopedDatabase } from '../../src/auth/scoped-database.ts';
import { newId } from '../../src/platform/identifier.ts';
import { freshDatabase } from '../setup/database/database.ts';

let database: Database;
const owner = { merchantId: newId(), appId: newId(), otherAppId: newId(), intentId: newId(), sessionId: newId() };
const stranger = { merchantId: newId(), appId: newId() };

beforeAll(async () => {
  ({ database } = await freshDatabase());
  for (const merchant of [owner, stranger]) {
    await database.merchant.create({ data: { id: merchant.merchantId, name: 'M' } });
    await database.app.create({
      data: { id: merchant.appId, merchantId: merchant.merchantId, name: 'A', mode: 'TEST' },
    });
  }
  await database.app.create({ data: { id: owner.otherAppId, merchantId: owner.merchantId, name: 'B', mode: 'TEST' } });
  await database.paymentIntent.create({
    data: {
      id: owner.intentId,
      appId: owner.appId,
      amount: '1',
      currency: 'USD',
      captureMode: 'AUTOMATIC',
      timelockDuration: 1,
      disputeStartDuration: 1,
      platformFeeBps: 0,
    },
  });
  await database.checkoutSession.create({
    data: {
      id: owner.sessionId,
      appId: owner.appId,
      clientSecretHash: new Uint8Array(32),
      amount: '1',
      currency: 'USD',
      subtotal: '1',
      taxAmount: '0',
      paymentIntentId: owner.intentId,
      expiresAt: new Date(),
    },
  });
});

describe('a scoped database', () => {
  test('is kept for an app that is used repeatedly, and evicted for old checkout sessions', () => {
    const scopeOfApp = { merchantId: owner.merchantId, appId: owner.appId };
    const ofApp = scopedDatabase(database, scopeOfApp);
    const sessions = Array.from({ length: 1_500 }, () => ({ sessionId: newId() }));
    const ofSessions = sessions.map((reach) => {
      expect(scopedDatabase(database, scopeOfApp)).toBe(ofApp);
      return scopedDatabase(database, reach);
    });
    // Newest first, because requesting an evicted one evicts another.
    const kept = sessions
      .toReversed()
      .filter((reach, index) => scopedDatabase(database, reach) === ofSessions.at(-1 - index));
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThanOrEqual(256);
  });

  test('finds rows within the scope for any query', async () => {
    const own = scopedDatabase(database, { merchantId: owner.merchantId, appId: owner.appId });
    const all = scopedDatabase(database, { merchantId: owner.merchantId, appId: null });
    for (const scoped of [own, all]) {
      expect(await scoped.paymentIntent.findUnique({ where: { id: owner.intentId } })).not.toBeNull();
      expect(await scoped.paymentIntent.count()).toBe(1);
    }
    expect(await own.app.count()).toBe(1);
    expect(await all.app.count()).toBe(2);
  });

  test('finds no rows of another app or merchant with any read operation', async () => {
    for (const scope of [
      { merchantId: stranger.merchantId, appId: null },
      { merchantId: stranger.merchantId, appId: stranger.appId },
      { merchantId: owner.merchantId, appId: owner.otherAppId },
    ]) {
      const scoped = scopedDatabase(database, scope);
      const where = { id: owner.intentId };
      expect(await scoped.paymentIntent.findUnique({ where })).toBeNull();
      expect(await scoped.paymentIntent.findFirst({ where: { OR: [where, { appId: owner.appId }] } })).toBeNull();
      expect(await scoped.paymentIntent.findMany({ where: { AND: where } })).toEqual([]);
      expect(await scoped.paymentIntent.count()).toBe(0);
      expect((await scoped.paymentIntent.aggregate({ _count: true }))._count).toBe(0);
      expect(await scoped.paymentIntent.groupBy({ by: ['status'], _count: true })).toEqual([]);
      await expect(scoped.paymentIntent.findUniqueOrThrow({ where })).rejects.toThrow();
    }
  });

  test('lets a session read itself and its payment, and throws for data of the merchant', async () => {
    const scoped = scopedDatabase(database, { sessionId: owner.sessionId });
    expect(await scoped.checkoutSession.findMany()).toHaveLength(1);
    expect(await scoped.paymentIntent.findMany()).toHaveLength(1);
    expect(await scopedDatabase(database, { sessionId: newId() }).paymentIntent.findMany()).toEqual([]);
    await expect(scoped.customerAccount.findMany()).rejects.toThrow(/scope/);
    await expect(scoped.apiKey.findMany()).rejects.toThrow(/scope/);
  });

  test('throws without a caller, for tables without a tenant, for writes and for raw SQL', async () => {
    await expect(scopedDatabase(database, null).paymentIntent.findMany()).rejects.toThrow(/scope/);
    const scoped = scopedDatabase(database, { merchantId: owner.merchantId, appId: null });
    await expect(scoped.chainFact.findMany()).rejects.toThrow(/scope/);
    await expect(scoped.platformCredential.findMany()).rejects.toThrow(/scope/);
    await expect(scoped.app.updateMany({ data: { name: 'x' } })).rejects.toThrow(/reading/);
    await expect(scoped.app.deleteMany()).rejects.toThrow(/reading/);
    await expect(scoped.$queryRaw`SELECT 1`).rejects.toThrow(/reading/);
  });

  test('throws for a cursor, which Prisma would look up outside the scope', async () => {
    const scoped = scopedDatabase(database, { merchantId: stranger.merchantId, appId: null });
    await expect(scoped.paymentIntent.findMany({ cursor: { id: owner.intentId } })).rejects.toThrow('cursor');
  });

  test('queries every table in every scope without an invalid column', async () => {
    const scoped = scopedDatabase(database, { merchantId: owner.merchantId, appId: null });
    const session = scopedDatabase(database, { sessionId: owner.sessionId });
    for (const model of Object.values(Prisma.ModelName)) {
      const name = model.charAt(0).toLowerCase() + model.slice(1);
      for (const client of [scoped, session]) {
        const delegate: unknown = Reflect.get(client, name);
        const count = (delegate as { count(): Promise<number> }).count();
        await count.catch((error: unknown) => expect(String(error)).toMatch(/without the scope of a merchant/));
      }
    }
  });
});

test('no resolver reads a table without the scoped database', () => {
  const root = resolve(import.meta.dirname, '../../src/api/graphql');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const models = Object.values(Prisma.ModelName).map((model) => model.charAt(0).toLowerCase() + model.slice(1));
  const past = new RegExp(`world\\.database\\s*\\.(${models.join('|')}|\\$queryRaw|\\$executeRaw)\\b`);
  // These check credentials, or share one read among followers that the feed has admitted by app.
  const known = ['server/live-credentials.ts', 'payments/event-row.ts', 'subscriptions/subscription-updates.ts'];
  const found = files.filter((name) => !known.includes(name) && past.test(readFileSync(join(root, name), 'utf8')));
  expect(found).toEqual([]);
});
