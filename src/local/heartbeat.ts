import { createTestClient, http, publicActions } from 'viem';

/** After this long without a transaction the chain beats slower, for each block makes its state file longer. */
const busySeconds = 180n;
const idleBlockTimeSeconds = 15;

/**
 * Mines a block whenever the newest is older than `blockTimeSeconds`, so that deadlines and timelocks pass on a chain
 * that nobody uses. An answer that fails is tried again at the next beat. Returns what stops it.
 */
export function startHeartbeat(options: { rpcUrl: string; blockTimeSeconds: number | undefined }): () => void {
  const { blockTimeSeconds } = options;
  if (blockTimeSeconds === undefined) return () => undefined;
  const client = createTestClient({ mode: 'anvil', transport: http(options.rpcUrl, { retryCount: 0 }) }).extend(
    publicActions,
  );
  let busyAt = nowSeconds();
  let beating = false;
  const beat = async () => {
    const block = await client.getBlock();
    if (block.transactions.length > 0 && block.timestamp > busyAt) busyAt = block.timestamp;
    const isBusy = nowSeconds() - busyAt < busySeconds;
    const pauseSeconds = isBusy ? blockTimeSeconds : Math.max(idleBlockTimeSeconds, blockTimeSeconds);
    if (nowSeconds() - block.timestamp >= BigInt(pauseSeconds)) await client.mine({ blocks: 1 });
  };
  const timer = setInterval(() => {
    if (beating) return;
    beating = true;
    const done = () => {
      beating = false;
    };
    beat().then(done, done);
  }, 500);
  timer.unref();
  return () => clearInterval(timer);
}

function nowSeconds(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}
