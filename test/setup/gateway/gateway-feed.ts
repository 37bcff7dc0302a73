/** The feed of an API process over a gateway that is moved by hand. */
import { announcementChannel } from '../../../src/events/announcements.ts';
import { type Feed, openFeed } from '../../../src/events/feed.ts';
import { openListener } from '../../../src/platform/database/listener.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { onTeardown } from '../teardown.ts';
import type { Gateway } from './gateway.ts';

/** Resolves once it receives notifications. `url`: where it listens instead, and then it may never receive any. */
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
    // One LISTEN is executed after the other, so that the feed's is in force as well.
    await new Promise<void>((onUp) => listener.listen(announcementChannel, { onNotification: () => undefined, onUp }));
  }
  return feed;
}
