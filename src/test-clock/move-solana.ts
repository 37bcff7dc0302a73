import { postRpc } from '../chains/post-rpc.ts';
import type { RpcSettings } from '../config/config.ts';

export type LocalSolanaTime = ReturnType<typeof openSolanaTime>;

/**
 * Controls the time of the local Solana chain by sending its node the time. Slots advance with it, so that signed transactions
 * expire as they would have. Throws if the node does not comply.
 */
export function openSolanaTime({ chainId, urls }: Pick<RpcSettings, 'chainId' | 'urls'>) {
  const [url = ''] = urls;
  /** Does nothing if the chain has reached that time already; a restarted node counts from the real time. */
  const moveTo = async (at: Date): Promise<void> => {
    const params = [Math.ceil(at.getTime() / 1000)];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sluice_moveTime', params });
    const { status, text } = await postRpc(url, body);
    if (status === 200 && 'result' in Object(JSON.parse(text))) return;
    throw new Error(`The node of chain ${chainId} did not advance its time: ${status}.`);
  };
  return { chainId, moveTo };
}
