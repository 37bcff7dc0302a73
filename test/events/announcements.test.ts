/** Notifications of new events: the first one is sent at once, and those that follow within a moment are merged. */
import { expect, it } from 'vitest';
import { announcedApps, announceEvents, announcementChannel } from '../../src/events/announcements.ts';
import { openListener } from '../../src/platform/database/listener.ts';
import { newId } from '../../src/platform/identifier.ts';
import { silentLog } from '../../src/platform/log.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { onTeardown } from '../setup/teardown.ts';

const { database, url } = await freshDatabase();
// The pool is closed with the client only if the client was connected.
await database.$connect();
const listener = openListener({ url, log: silentLog });
onTeardown(() => listener.close());
const received: (readonly string[] | null)[] = [];
await new Promise<void>((resolve) => {
  listener.listen(announcementChannel, {
    onNotification: (payload) => received.push(announcedApps(payload)),
    onUp: () => resolve(),
  });
});

async function announce(apps: readonly string[]) {
  received.length = 0;
  for (const app of apps) announceEvents(database, app);
  await expect.poll(() => new Set(received.flat()).size).toBe(new Set(apps).size);
}

it('announces the first app at once and merges the next apps into one notification without duplicates', async () => {
  const [first = '', second = '', third = ''] = [newId(), newId(), newId()];
  await announce([first, second, third, second, third]);
  // Two connections sent them, so that the second one can overtake the first.
  expect(received.toSorted((one, other) => (one?.length ?? 0) - (other?.length ?? 0))).toEqual([
    [first],
    [second, third],
  ]);
});

it('announces an app again if it appends events after its own notification', async () => {
  const app = newId();
  received.length = 0;
  for (let count = 0; count < 3; count++) announceEvents(database, app);
  await expect.poll(() => received).toEqual([[app], [app]]);
});

it('announces all apps if their ids do not fit into one notification', async () => {
  received.length = 0;
  const apps = Array.from({ length: 202 }, newId);
  for (const app of apps) announceEvents(database, app);
  await expect.poll(() => received).toEqual([[apps[0]], null]);
});
