import { postRpc } from '../chains/post-rpc.ts';
import type { RpcSettings } from '../config/config.ts';

export type LocalSolanaTime = ReturnType<typeof openSolanaTime>;

/**
 * The time of the local Solana, whose node is told what time it is. Slots go on with it, so that what was signed before
 * expires as it would have. Throws where the node does not do as it is told.
 */
export function openSolanaTime({ chainId, urls }: Pick<RpcSettings, 'chainId' | 'urls'>) {
  const [url = ''] = urls;
  /** Nothing where the chain is there already: a node that was started again counts from the real time. */
  const moveTo = async (at: Date): Promise<void> => {
    const params = [Math.ceil(at.getTime() / 1000)];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sluice_moveTime', params });
    const { status, text } = await postRpc(url, body);
    if (status === 200 && 'result' in Object(JSON.parse(text))) return;
    throw new Error(`The node of chain ${chainId} did not move its time: ${status}.`);
  };
  return { chainId, moveTo };
}
