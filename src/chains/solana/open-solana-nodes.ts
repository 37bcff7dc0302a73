/**
 * The nodes of Solana chains: one `Connection` for each chain over all of its URLs. The first node that responds is used. The library is
 * loaded when a connection is first requested, so that a program without Solana does not load it. Websockets use the first URL, on the
 * port after its own if it names one (the library's rule).
 */
import type { Connection } from '@solana/web3.js';
import type { RpcSettings } from '../../config/config.ts';
import { openNodePool } from '../node-pool.ts';
import { postRpc } from '../post-rpc.ts';
import type { Registry } from '../registry.ts';
import { chainUnavailable, type NodeObservers, type RpcCall } from '../rpc-call.ts';
import { requireAnswer, solanaUnavailableBy } from './classify-answer.ts';

export type SolanaNodes = {
  /** Rejects with CHAIN_UNAVAILABLE for a chain without a node. Its own errors are the library's, so call it through `asking`. */
  connection(chainId: number): Promise<Connection>;
  /** Runs `work` with the chain's connection. Failures of nodes become CHAIN_UNAVAILABLE. */
  asking<Answer>(chainId: number, work: (connection: Connection) => Promise<Answer>): Promise<Answer>;
};

/** The request by which a node that was set aside is checked. */
const SMALL_QUESTION = JSON.stringify({ jsonrpc: '2.0', id: 'check', method: 'getSlot' });

/** Opens no connection. Connections are created when they are first requested. Commitment is `confirmed` where a call names none. */
export function openSolanaNodes(
  options: { registry: Registry; rpc: readonly RpcSettings[] } & NodeObservers,
): SolanaNodes {
  const connections = new Map<number, Promise<Connection>>();
  const connection = (chainId: number): Promise<Connection> => {
    const known = connections.get(chainId);
    if (known) return known;
    const settings = options.rpc.find((candidate) => candidate.chainId === chainId);
    if (!settings || options.registry.chain(chainId)?.family !== 'SOLANA') {
      return Promise.reject(chainUnavailable(chainId));
    }
    const opened = openConnection(settings, options.observe);
    connections.set(chainId, opened);
    return opened;
  };
  return {
    connection,
    asking: async (chainId, work) => {
      try {
        return await work(await connection(chainId));
      } catch (error) {
        const answer = solanaUnavailableBy(error);
        if (answer === null) throw error;
        options.onUnavailable?.({ chainId, answer });
        throw chainUnavailable(chainId, error);
      }
    },
  };
}

async function openConnection(settings: RpcSettings, observe?: (call: RpcCall) => void): Promise<Connection> {
  const web3 = await import('@solana/web3.js');
  const { chainId, urls } = settings;
  const [first] = urls;
  if (first === undefined) throw chainUnavailable(chainId);
  const nodes = urls.map((url) => {
    const ask = async (body: string, signal: AbortSignal) => requireAnswer(await postRpc(url, body, signal));
    return {
      provider: new URL(url).host,
      ask,
      check: (signal: AbortSignal) => ask(SMALL_QUESTION, signal),
    };
  });
  const pool = openNodePool(nodes, { chainId, checksFirst: false, observe });
  return new web3.Connection(first, {
    commitment: 'confirmed',
    disableRetryOnRateLimit: true,
    fetch: async (_input: unknown, init?: { body?: unknown; headers?: unknown }) =>
      new Response(await pool.ask(String(init?.body ?? '')), { headers: { 'content-type': 'application/json' } }),
  });
}
