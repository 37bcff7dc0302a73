import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../prisma/client.ts';
import { issueToken } from '../../src/auth/tokens/issue-token.ts';
import { openSecretKeys } from '../../src/auth/tokens/secret-keys.ts';
import { openSigningKeys } from '../../src/auth/tokens/signing-keys.ts';
import type { Demo } from '../../src/local/demo-file.ts';
import { DEMO_OWNER } from '../../src/local/demo-file.ts';
import { checkoutFolder } from '../../src/local/local-settings.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/identifier.ts';
import type { Observations } from './observations.ts';

const DAY_MS = 86_400_000;
const LIMIT_MS = 60_000;

const pages = join(checkoutFolder, 'web', 'src', 'dashboard');
const overview = documentOf('overview/overview.graphql');
const list = documentOf('payments/list/payments-list.graphql');
const events = documentOf('developers/events/event-log.graphql');

/** The demo merchant's owner opens pages of the dashboard. Each visit sends the queries of the real page. */
export async function openDashboard({
  demo,
  databaseUrl,
  observations,
}: {
  demo: Demo;
  databaseUrl: string;
  observations: Observations;
}): Promise<{ visit(): Promise<void>; close(): Promise<void> }> {
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  const logIn = await openLogin(database, demo.restUrl);
  return {
    async visit() {
      const headers = { authorization: `Bearer ${await logIn()}`, 'content-type': 'application/json' };
      const ask = (name: string, query: string, variables: object) =>
        observations.timed(`dashboard: ${name}`, async () => {
          const body = JSON.stringify({ query, operationName: name, variables });
          const signal = AbortSignal.timeout(LIMIT_MS);
          const text = await (await fetch(demo.graphqlUrl, { method: 'POST', headers, body, signal })).text();
          if (/^\{"errors"|"errors":\[/.test(text)) throw new Error(text.slice(0, 500));
        });
      const { appId } = demo;
      const now = Date.now();
      const range = { from: new Date(now - 7 * DAY_MS).toISOString(), to: new Date(now).toISOString() };
      await ask('OverviewPage', overview, { appId, ...range, bucket: 'DAY' });
      await ask('PaymentsList', list, { filter: { appId }, first: 50 });
      await ask('PaymentsCount', list, { filter: { appId } });
      await ask('DeveloperEventLog', events, { appId });
    },
    close: () => database.$disconnect(),
  };
}

async function openLogin(database: Database, publicUrl: string): Promise<() => Promise<string>> {
  const clock = systemClock;
  const signingKeys = openSigningKeys({ database, clock }, { sealKey: openSecretKeys({}).signing });
  const member = await database.member.findFirstOrThrow({ where: { email: DEMO_OWNER } });
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + DAY_MS);
  const data = { id: newId(), memberId: member.id, expiresAt, createdAt: now };
  const session = await database.memberSession.create({ data });
  const subject = { audience: 'dashboard' as const, memberId: member.id, sessionId: session.id };
  return async () => (await issueToken({ clock, signingKeys, config: { publicUrl } }, { subject })).token;
}

function documentOf(file: string): string {
  return readFileSync(join(pages, file), 'utf8');
}
