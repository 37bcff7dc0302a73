import type { Listener } from '../platform/database/listener.ts';
import { announcedApps, announcementChannel } from './announcements.ts';

const SLOW_POLL_MS = 10_000;
const FAST_POLL_MS = 500;

export type AnnouncementOptions = {
  listener: Listener;
  /** The pause between two polls while notifications are received; ten seconds by default. */
  slowPollMs?: number | undefined;
};

/**
 * Calls `wake` for each notification, with the apps that have new events. Because notifications may be lost, it is also called with null,
 * which stands for every app: every ten seconds, when notifications begin or cease to be received, and twice a second while they are not.
 */
export function followAnnouncements(
  { listener, slowPollMs = SLOW_POLL_MS }: AnnouncementOptions,
  wake: (apps: readonly string[] | null) => void,
): { stop(): void } {
  let isListening = false;
  let poll: NodeJS.Timeout | undefined;
  const pollLater = () => {
    clearTimeout(poll);
    const tick = () => {
      wake(null);
      pollLater();
    };
    poll = setTimeout(tick, isListening ? slowPollMs : FAST_POLL_MS);
    poll.unref();
  };
  const turn = (isUp: boolean) => {
    isListening = isUp;
    wake(null);
    pollLater();
  };
  const stopListening = listener.listen(announcementChannel, {
    onNotification: (payload) => wake(announcedApps(payload)),
    onUp: () => turn(true),
    onDown: () => turn(false),
  });
  pollLater();
  return {
    stop() {
      clearTimeout(poll);
      stopListening();
    },
  };
}
