/**
 * A whole gateway that runs continuously, composed as in main: API and worker on a database and a real chain. Only Ponder is left out: the
 * projector reads the node's logs. Tests move the time by the test clock, through the API.
 */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address, Hex } from 'viem';
import { createApiKey } from '../../../src/auth/create-api-key.ts';
import { createApp } from '../../../src/auth/create-app.ts';
import { createMerchant } from '../../../src/auth/create-merchant.ts';
import { setPayoutAddress } from '../../../src/auth/set-payout-address.ts';
import { loadRegistry } from '../../../src/chains/registry.ts';
import type { PaymentStep } from '../../../src/checkout/payment-step.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { openLogSource } from '../../../src/facts/log-source.ts';
import { runProjector } from '../../../src/facts/run-projector.ts';
import { localChain } from '../../../src/local/local-chains.ts';
import { factTable } from '../../../src/main/fact-table.ts';
import { openBase } from '../../../src/main/open-world.ts';
import { runApi } from '../../../src/main/run-api.ts';
import { runWorker } from '../../../src/main/run-worker.ts';
import { watchBalances } from '../../../src/main/watch-balances.ts';
import { newExactMemory } from '../../../src/payments/x402/exact/watch-exact.ts';
import { openAdvisoryLocks } from '../../../src/platform/advisory-locks.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { signStep } from '../../checkout/sign-step.ts';
import { callGraphql } from '../api/api.ts';
import { callRest, type RestCall } from '../api/rest.ts';
import { openEvm, type TestEvm } from '../chains/evm.ts';
import { freshDatabase } from '../database/database.ts';
import { freePort } from '../free-port.ts';
import { onTeardown } from '../teardown.ts';

export type RunningGateway = Awaited<ReturnType<typeof openRunningGateway>>;
type Payer = { address: Address; privateKey: Hex };

/** The real time that an advance of the clock may take on a busy machine. */
const ADVANCE_LIMIT_MS = 240_000;

export type GatewayOptions = {
  environment?: Record<string, string>;
  chainId?: number;
  /** The contents of CHAINS_FILE. Defaults to the local chain. */
  chains?: (evm: TestEvm) => unknown;
};

export async function openRunningGateway(options: GatewayOptions = {}) {
  const { chainId = 31337, chains = (on) => [localChain(on.chainId)] } = options;
  const [evm, fresh, port] = await Promise.all([openEvm({ chainId, slotsInAnEpoch: 4 }), freshDatabase(), freePort()]);
  const config = parseConfig({
    ...(await environmentOf(evm, { databaseUrl: fresh.url, port, chains: chains(evm) })),
    ...options.environment,
  });
  const api = await runApi(config);
  onTeardown(() => api.stop());
  const worker = await runWorker(config);
  onTeardown(() => worker.stop());
  const base = await observe(config);
  const { database } = fresh;
  const merchant = await createMerchant({ database }, { name: 'Alpha' });
  const app = await createApp({ database }, { merchantId: merchant.id, name: 'Alpha', mode: 'TEST' });
  const scope = { merchantId: merchant.id, appId: app.id };
  const { secret: key } = await createApiKey({ database, clock: systemClock }, { scope, kind: 'SECRET' });
  await setPayoutAddress(
    { database, registry: loadRegistry({ rpc: [] }) },
    { scope, family: 'EVM', address: evm.merchant.address },
  );
  const url = `http://127.0.0.1:${port}`;

  const rest = (method: string, path: string, call: RestCall = {}) =>
    callRest(url, method, path, call.clientSecret === undefined ? { key, ...call } : call);
  /** Advances the clock and waits until it has arrived. Returns its state. */
  const advance = async (input: { seconds: number } | { to: Date }) => {
    const until = performance.now() + ADVANCE_LIMIT_MS;
    const started = await rest('POST', '/test-clock/advance', { body: { ...input, waitSeconds: 20 } });
    if (started.status !== 200) throw new Error(started.text);
    let state = started.body.data;
    while (state.isAdvancing && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      state = (await rest('GET', '/test-clock')).body.data;
    }
    if (state.isAdvancing || state.fault !== null) throw new Error(JSON.stringify(state));
    return state;
  };
  /** Executes the steps by signing and sending, and returns the signatures and the last transaction. */
  const doSteps = async (payer: Payer, steps: PaymentStep[]) => {
    const signatures: Record<string, Hex> = {};
    let txHash: Hex | undefined;
    for (const step of steps) {
      if (step.kind === 'signTypedData') signatures[step.name] = await signStep(payer, step);
      if (step.kind === 'transaction') {
        const call = { to: step.to, data: step.data, value: BigInt(step.value) };
        txHash = await evm.walletFor(payer.privateKey).sendTransaction(call);
        await evm.publicClient.waitForTransactionReceipt({ hash: txHash });
      }
    }
    return { signatures, txHash };
  };
  return {
    url,
    key,
    scope,
    evm,
    database,
    databaseUrl: fresh.url,
    config,
    /** The clock as another process of the installation reads it. */
    clock: base.clock,
    rest,
    graphql: (document: string, variables?: Record<string, unknown>) => callGraphql(url, document, variables, { key }),
    advance,
    doSteps,
  };
}

async function environmentOf(evm: TestEvm, at: { databaseUrl: string; port: number; chains: unknown }) {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-running-'));
  onTeardown(() => rm(folder, { recursive: true, force: true }));
  const chainsFile = join(folder, 'chains.json');
  writeFileSync(chainsFile, JSON.stringify(at.chains));
  return {
    NODE_ENV: 'test',
    DATABASE_URL: at.databaseUrl,
    PORT: String(at.port),
    CHAINS_FILE: chainsFile,
    PRICE_SOURCE: 'fixed',
    PRICE_TABLE: 'USDC=1,USDT=1,ETH=2500,EUR=1.1',
    OPERATOR_PRIVATE_KEY: evm.operator.privateKey,
    ARBITER_PRIVATE_KEY: evm.arbiter.privateKey,
    ARBITER_ADDRESS: evm.arbiter.address,
    FEE_RECIPIENT: evm.feeRecipient.address,
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    RATE_LIMIT_PER_SECOND: '100000',
    RATE_LIMIT_BURST: '100000',
    [`RPC_URL_${evm.chainId}`]: evm.rpcUrl,
    [`POLLING_INTERVAL_MS_${evm.chainId}`]: '50',
  };
}

/** Does the work of the indexer without Ponder. */
async function observe(config: ReturnType<typeof parseConfig>) {
  const base = openBase(config, 'indexer');
  await base.time.follow();
  const locks = openAdvisoryLocks({ url: config.database.directUrl, log: base.log });
  const memory = newExactMemory();
  const projector = runProjector(
    {
      ...base,
      source: openLogSource(base),
      handlers: factTable(base),
      watch: (view) => watchBalances({ ...base, memory }, view),
      locks,
    },
    { chains: config.rpc.map(({ chainId, pollingIntervalMs }) => ({ chainId, intervalMs: pollingIntervalMs })) },
  );
  onTeardown(async () => {
    await projector.stop();
    await locks.close();
    await base.time.close();
    await base.listener.close();
    await base.database.$disconnect();
  });
  return base;
}
