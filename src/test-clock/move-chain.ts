import { createTestClient, http, publicActions } from 'viem';
import type { RpcSettings } from '../config/config.ts';

/** Blocks mined at a stop so that earlier blocks become final; a chain that finalizes more slowly catches up on its own. */
const BLOCKS_LIMIT = 200n;
/** A local chain counts whole seconds. */
const TOLERATED_SECONDS = 2;

export type LocalChainTime = ReturnType<typeof openChainTime>;

/**
 * Controls the time of one local EVM chain by setting the time of its node's next block. Throws the errors of the node's client.
 */
export function openChainTime(settings: Pick<RpcSettings, 'chainId' | 'urls'>) {
  const client = createTestClient({
    mode: 'anvil',
    transport: http(settings.urls[0], { retryCount: 2, timeout: 30_000 }),
    cacheTime: 0,
  }).extend(publicActions);
  return {
    chainId: settings.chainId,
    client,
    /** Mines at `at` until that block is final; does nothing if the chain has reached it already. */
    async moveTo(at: Date): Promise<void> {
      const seconds = BigInt(Math.ceil(at.getTime() / 1000));
      const head = await client.getBlock({ blockTag: 'latest' });
      if (head.timestamp >= seconds) return;
      const finalized = await client.getBlock({ blockTag: 'finalized' });
      const behind = head.number - finalized.number + 1n;
      await client.setNextBlockTimestamp({ timestamp: seconds });
      await client.mine({ blocks: Number(behind < BLOCKS_LIMIT ? behind : BLOCKS_LIMIT) });
    },
    /** Advances a restarted node, which counts from the real time, to `now` if it is behind. */
    async keepUp(now: Date): Promise<void> {
      // Increasing the time by nothing returns how far ahead the node's clock is.
      const ahead = await client.increaseTime({ seconds: 0 });
      const missing = Math.round((now.getTime() - Date.now()) / 1000) - Number(ahead);
      if (missing < TOLERATED_SECONDS) return;
      await client.increaseTime({ seconds: missing });
      await client.mine({ blocks: 1 });
    },
  };
}
