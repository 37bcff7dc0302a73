/**
 * The nodes of Solana chains: one `Connection` a chain over all of its URLs, the first that answers is used. The library
 * is loaded when a connection is first asked for, so that a program without Solana pays nothing for it. Websockets go to
 * the first URL, on the port after its own where it names one (the library's rule).
 */
import type { Connection } from '@solana/web3.js';
import type { RpcSettings } from '../../config.ts';
import { GatewayError } from '../../errors.ts';
import type { Registry } from '../registry.ts';
import { chainUnavailable, type RpcCall } from '../rpc-call.ts';

export type SolanaNodes = {
  /** Rejects with CHAIN_UNAVAILABLE for a chain without a node. Its own failures are the library's: ask through `asking`. */
  connection(chainId: number): Promise<Connection>;
  /** Runs `work` with the chain's connection; what fails for the node's sake becomes CHAIN_UNAVAILABLE. */
  asking<Answer>(chainId: number, work: (connection: Connection) => Promise<Answer>): Promise<Answer>;
};

const REQUEST_TIMEOUT_MS = 10_000;

/** JSON-RPC answers that speak of the node's state, and not of what was asked: behind, without its history, or broken. */
const NODE_CODES = new Set([-32603, -32004, -32005, -32011, -32014, -32016, 429]);

/** Opens no connection: they are made when first asked for. Commitment is `confirmed` where a call names none. */
export function openSolanaNodes(options: {
  registry: Registry;
  rpc: readonly RpcSettings[];
  observe?: ((call: RpcCall) => void) | undefined;
}): SolanaNodes {
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
        if (isSolanaNodeFault(error)) throw chainUnavailable(chainId, error);
        throw error;
      }
    },
  };
}

/** Whether the node failed, and not what was asked of it: no answer, a refusing status, nonsense, or its own trouble. */
export function isSolanaNodeFault(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof GatewayError) return false;
  if (error instanceof NodeFault || error.name === 'StructError' || error instanceof SyntaxError) return true;
  return 'code' in error && typeof error.code === 'number' && NODE_CODES.has(error.code);
}

class NodeFault extends Error {
  override readonly name = 'NodeFault';
  readonly kind: 'timeout' | 'rate_limited' | 'http';

  constructor(kind: NodeFault['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

async function openConnection(settings: RpcSettings, observe?: (call: RpcCall) => void): Promise<Connection> {
  const web3 = await import('@solana/web3.js');
  const [first] = settings.urls;
  if (first === undefined) throw chainUnavailable(settings.chainId);
  return new web3.Connection(first, {
    commitment: 'confirmed',
    disableRetryOnRateLimit: true,
    fetch: async (_input: unknown, init?: { body?: unknown; headers?: unknown }) =>
      await askInTurn(settings, String(init?.body ?? ''), observe),
  });
}

/** The first node that answers with a good status; the last one's fault when none does. */
async function askInTurn(settings: RpcSettings, body: string, observe?: (call: RpcCall) => void): Promise<Response> {
  let last: NodeFault = new NodeFault('http', 'No node is named.');
  for (const url of settings.urls) {
    const startedAt = performance.now();
    const tell = (fault: RpcCall['fault']) =>
      observe?.({
        chainId: settings.chainId,
        provider: new URL(url).host,
        durationSeconds: (performance.now() - startedAt) / 1000,
        fault,
      });
    try {
      const answer = await askNode(url, body);
      tell(null);
      return answer;
    } catch (error) {
      last = error instanceof NodeFault ? error : new NodeFault('http', 'The node did not answer.', error);
      tell(last.kind);
    }
  }
  throw last;
}

async function askNode(url: string, body: string): Promise<Response> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  let answer: Response;
  try {
    answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal });
  } catch (error) {
    if (signal.aborted) throw new NodeFault('timeout', `The node did not answer in ${REQUEST_TIMEOUT_MS} ms.`, error);
    throw error;
  }
  if (answer.ok) return answer;
  await answer.body?.cancel();
  throw new NodeFault(answer.status === 429 ? 'rate_limited' : 'http', `The node answered ${answer.status}.`);
}
