/** One request to the wallet at a time, for which the payer can stop waiting, because wallets lose requests and some never respond. */
import { useRef, useState } from 'react';

export type Turn = {
  isWaiting: boolean;
  /** Does nothing while another request is pending. The signal is aborted when the payer starts over: nothing more may be requested. */
  take: (asking: (signal: AbortSignal) => Promise<void>) => Promise<void>;
  startOver: () => void;
};

export function useTurn(): Turn {
  const [isWaiting, setWaiting] = useState(false);
  const running = useRef<AbortController>(undefined);
  return {
    isWaiting,
    async take(asking) {
      if (running.current) return;
      const turn = new AbortController();
      running.current = turn;
      setWaiting(true);
      const isOver = new Promise<void>((resolve) =>
        turn.signal.addEventListener('abort', () => resolve(), { once: true }),
      );
      try {
        await Promise.race([asking(turn.signal), isOver]);
      } finally {
        running.current = undefined;
        setWaiting(false);
      }
    },
    startOver: () => running.current?.abort(),
  };
}
