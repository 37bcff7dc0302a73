import { createTestClient, http, publicActions } from 'viem';

/** After this long without a transaction, the chain mines more slowly, because each block makes its state file longer. */
const busyMs = 180_000;
const idleBlockTimeSeconds = 15;
const busyLookMs = 500;
const idleLookMs = 2_000;

/**
 * Mines a block whenever none has been mined for `blockTimeSeconds`, so that deadlines and timelocks pass on an idle chain. It uses this
 * machine's clock, because the chain's own may be ahead. A failed attempt is retried at the next interval. Returns a function that stops
 * it.
 */
export function startHeartbeat(options: { rpcUrl: string; blockTimeSeconds: number | undefined }): () => void {
  const { blockTimeSeconds } = options;
  if (blockTimeSeconds === undefined) return () => undefined;
  const client = createTestClient({ mode: 'anvil', transport: http(options.rpcUrl, { retryCount: 0 }) }).extend(
    publicActions,
  );
  let busyAt = performance.now();
  let newest = { hash: '', seenAt: Number.NEGATIVE_INFINITY };
  const beat = async () => {
    const block = await client.getBlock();
    const now = performance.now();
    if (block.hash !== newest.hash) {
      newest = { hash: block.hash, seenAt: now };
      if (block.transactions.length > 0) busyAt = now;
    }
    const isBusy = now - busyAt < busyMs;
    const pauseSeconds = isBusy ? blockTimeSeconds : Math.max(idleBlockTimeSeconds, blockTimeSeconds);
    if (now - newest.seenAt < pauseSeconds * 1000) return;
    await client.mine({ blocks: 1 });
    newest = { hash: (await client.getBlock()).hash, seenAt: now };
  };
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const beatAgain = () => {
    if (stopped) return;
    const isBusy = performance.now() - busyAt < busyMs;
    timer = setTimeout(() => void beat().then(beatAgain, beatAgain), isBusy ? busyLookMs : idleLookMs);
    timer.unref();
  };
  beatAgain();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
