/** The facilitators that are compared: the gateway with one sender key, and the standard one with one key, with two ways of managing nonces. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Address, Hex } from 'viem';
import { freePort } from '../../test/setup/free-port.ts';
import type { Installation } from '../servers/open-installation.ts';
import { type Facilitator, quote, requirementsOf } from './settle-payments.ts';

export type Killable = Facilitator & {
  /** SIGKILL to all of its processes at once. It starts again by itself, as a supervisor would start it. */
  kill(): void;
  stop(): Promise<void>;
};

type Place = { rpcUrl: string; chainId: number; token: Address; merchant: Address };

/** The time within which a transaction must be mined before the standard facilitator reports it as pending. */
const CONFIRMATION_TIMEOUT_MS = 30_000;
const RESTART_MS = 500;

export function openGateway({ demo, folder }: Installation, { chainId }: Pick<Place, 'chainId'>): Killable {
  const gateway = { url: demo.restUrl, key: demo.secretKey, network: `eip155:${chainId}` };
  return {
    name: 'Sluice',
    requirements: () => quote(gateway),
    settleUrl: () => `${demo.restUrl}/x402/settle`,
    headers: { 'x-api-key': demo.secretKey },
    kill() {
      for (const file of ['api.pid', 'worker.pid', 'indexer.pid']) {
        process.kill(Number(readFileSync(join(folder, file), 'utf8')), 'SIGKILL');
      }
    },
    stop: async () => undefined,
  };
}

export async function openStock(place: Place, options: { key: Hex; nonces: 'node' | 'managed' }): Promise<Killable> {
  const { rpcUrl, chainId, token, merchant } = place;
  let url = '';
  let child: ChildProcess | undefined;
  let stopped = false;
  const launch = async (): Promise<void> => {
    const port = await freePort();
    const started = fork(join(import.meta.dirname, 'stock-facilitator.ts'), {
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        RPC_URL: rpcUrl,
        CHAIN_ID: String(chainId),
        FACILITATOR_KEY: options.key,
        NONCES: options.nonces,
        CONFIRMATION_TIMEOUT_MS: String(CONFIRMATION_TIMEOUT_MS),
      },
    });
    child = started;
    started.once('exit', () => {
      if (!stopped) setTimeout(() => void launch(), RESTART_MS);
    });
    await once(started, 'message');
    url = `http://127.0.0.1:${port}/settle`;
  };
  await launch();
  return {
    name: options.nonces === 'managed' ? "stock, with viem's nonce manager" : 'stock',
    requirements: async () => requirementsOf({ network: `eip155:${chainId}`, asset: token, payTo: merchant }),
    settleUrl: () => url,
    headers: {},
    kill: () => void child?.kill('SIGKILL'),
    async stop() {
      stopped = true;
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}
