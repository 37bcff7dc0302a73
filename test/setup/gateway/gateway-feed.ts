/** The feed of an API process, for a gateway whose steps a test runs one by one. */
import { announcementChannel } from '../../../src/events/announcements.ts';
import { type Feed, openFeed } from '../../../src/events/feed.ts';
import { openListener } from '../../../src/platform/database/listener.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { onTeardown } from '../teardown.ts';
import type { Gateway } from './gateway.ts';

/** Resolves once the feed receives notifications. With `url`, listens on another server, and may never receive any. */
export async function gatewayFeed(
  gateway: Pick<Gateway, 'url' | 'database'>,
  { url, slowPollMs }: { url?: string; slowPollMs?: number } = {},
): Promise<Feed> {
  const listener = openListener({ url: url ?? gateway.url, log: silentLog });
  const feed = openFeed({ database: gateway.database, listener, log: silentLog, slowPollMs });
  onTeardown(async () => {
    await feed.close();
    await listener.close();
  });
  if (url === undefined) {
    // Each LISTEN is executed in order, so by now the feed's own has been executed, too.
    await new Promise<void>((onUp) => listener.listen(announcementChannel, { onNotification: () => undefined, onUp }));
  }
  return feed;
}
