/** A minimal Sui node: gRPC over HTTP (gRPC-web, binary and text) with the SDK's own messages, backed by balances in memory. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GrpcTypes } from '@mysten/sui/grpc';
import { ConfigError } from '../../config/config-error.ts';

export type LocalCoin = { decimals: number; symbol: string };

export type SuiNode = {
  url: string;
  /** Keyed by owner and coin type, both in full form, separated by a space. */
  balances: Map<string, bigint>;
  coins: Map<string, LocalCoin>;
  /** Names of the gRPC methods that were called, in order. */
  calls: string[];
  /** Highest number of calls that were open at the same time. */
  mostAtOnce(): number;
  /** Makes the following calls fail with this status; null makes them succeed again. */
  refuse(status: number | null): void;
  stop(): Promise<void>;
};

const STATUS = { notFound: 5, invalid: 3 };

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Listens on any free port if `port` is omitted. Throws ConfigError when the port is in use. */
export async function startSuiNode({ port = 0 }: { port?: number } = {}): Promise<SuiNode> {
  const balances = new Map<string, bigint>();
  const coins = new Map<string, LocalCoin>();
  const calls: string[] = [];
  let refused: number | null = null;
  let [open, most] = [0, 0];
  const methods: Record<string, (request: Uint8Array) => Uint8Array> = {
    GetBalance(request) {
      const { owner = '', coinType = '' } = GrpcTypes.GetBalanceRequest.fromBinary(request);
      if (!/^0x[0-9a-f]{64}$/.test(owner)) throw new Refusal(STATUS.invalid, 'invalid owner');
      const balance = balances.get(`${owner} ${full(coinType)}`) ?? 0n;
      return GrpcTypes.GetBalanceResponse.toBinary(
        GrpcTypes.GetBalanceResponse.create({
          balance: { coinType, balance, coinBalance: balance, addressBalance: 0n },
        }),
      );
    },
    GetCoinInfo(request) {
      const { coinType = '' } = GrpcTypes.GetCoinInfoRequest.fromBinary(request);
      const metadata = coins.get(full(coinType));
      if (!metadata) throw new Refusal(STATUS.notFound, 'Coin type not found');
      return GrpcTypes.GetCoinInfoResponse.toBinary(GrpcTypes.GetCoinInfoResponse.create({ coinType, metadata }));
    },
  };
  const server = createServer(async (request, response) => {
    open += 1;
    most = Math.max(most, open);
    const isText = request.headers['content-type']?.includes('grpc-web-text') ?? false;
    const body = await read(request);
    // Respond in the next turn of the event loop, so that concurrent calls are counted as concurrent.
    await new Promise((resolve) => setImmediate(resolve));
    const method = request.url?.split('/').at(-1) ?? '';
    calls.push(method);
    const answer = answerOf(methods[method], isText ? Buffer.from(body.toString(), 'base64') : body, refused);
    response.setHeader('content-type', isText ? 'application/grpc-web-text' : 'application/grpc-web+proto');
    response.end(isText ? answer.toString('base64') : answer);
    open -= 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new ConfigError(`Sui cannot listen on port ${port}.`, { cause })));
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    balances,
    coins,
    calls,
    mostAtOnce: () => most,
    refuse: (status) => {
      refused = status;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerOf(
  method: ((request: Uint8Array) => Uint8Array) | undefined,
  framed: Buffer,
  refused: number | null,
): Buffer {
  try {
    if (refused !== null) throw new Refusal(refused, 'refused');
    if (!method) throw new Refusal(12, 'unimplemented');
    const message = method(framed.subarray(5, 5 + framed.readUInt32BE(1)));
    return Buffer.concat([frame(0, message), frame(0x80, Buffer.from('grpc-status: 0\r\n'))]);
  } catch (error) {
    const status = error instanceof Refusal ? error.status : 13;
    const words = encodeURIComponent(error instanceof Error ? error.message : 'failed');
    return frame(0x80, Buffer.from(`grpc-status: ${status}\r\ngrpc-message: ${words}\r\n`));
  }
}

function frame(flag: number, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flag;
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** Expands the address in a coin type to its full form. */
function full(coinType: string): string {
  return coinType.replace(/^0x([0-9a-f]+)::/, (_match, digits: string) => `0x${digits.padStart(64, '0')}::`);
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
