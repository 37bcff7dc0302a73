/** Temporary faults: the status reports them while they last, and recovers without intervention. */
import { encodeFunctionData, erc20Abi } from 'viem';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { transaction } from '../../prisma/client.ts';
import { openEvmNodes } from '../../src/chains/evm/nodes.ts';
import { settleCall } from '../../src/escrow/calldata.ts';
import { jobTable } from '../../src/main/job-table.ts';
import { readInstallation } from '../../src/operations/read-installation.ts';
import { requestTransaction } from '../../src/payments/transactions/request-transaction.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { silentLog } from '../../src/platform/log.ts';
import { runQueue } from '../../src/platform/queue.ts';
import { openRpcGate } from '../setup/chains/rpc-gate.ts';
import { type Gateway, openGateway } from '../setup/gateway/gateway.ts';

const quick = { beatMs: 50, silentMs: 60_000, sweepMs: 50, stopMs: 2_000, retryMs: 300 };
const failedJob = '1 jobs are out of attempts. Run: npm run ops -- jobs failed';
const givenUp = 'Transactions were given up. Run: npm run ops -- pending --status failed';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await openGateway();
});

/** Uses the machine's clock, because the indexer's observations do not follow the time of the test. */
const faults = async () => (await readInstallation({ ...gateway.action, clock: systemClock, keys: [] })).faults;
const until = (met: () => Promise<boolean>) => vi.waitUntil(met, { timeout: 20_000, interval: 50 });
const settleByHand = (signed: Awaited<ReturnType<Gateway['pay']>>['signed']) =>
  gateway.send(gateway.evm.payers[1], settleCall({ escrow: gateway.evm.escrow, terms: signed.terms }));

type Signed = Awaited<ReturnType<Gateway['pay']>>['signed'];
type Call = Parameters<typeof requestTransaction>[1]['call'];

/** A step that the chain rejects in its first simulation, like an early settlement. */
async function giveUp(
  type: 'AUTHORIZE' | 'SETTLE',
  { id, signed, call }: { id: string; signed: Signed; call?: Call },
): Promise<void> {
  await transaction(gateway.database, (tx) =>
    requestTransaction(tx, {
      paymentIntentId: id,
      chainId: gateway.evm.chainId,
      termsHash: signed.id,
      type,
      call: call ?? settleCall({ escrow: gateway.evm.escrow, terms: signed.terms }),
      amount: 10_000_000n,
      sender: gateway.evm.operator.address,
      maxFailures: 1,
    }),
  );
  await gateway.turnPumps();
}

it('a job that exhausted its attempts during a node failure ends once its payment is settled otherwise', async () => {
  const gate = await openRpcGate(gateway.evm.rpcUrl);
  const rpc = [{ ...gateway.evm.rpcSettings, urls: [gate.url] }];
  const world = { ...gateway.action, nodes: openEvmNodes({ registry: gateway.registry, rpc }) };
  const { id, signed } = await gateway.pay();
  await gateway.passTime(110);
  await gateway.observe();
  expect(await faults()).toEqual([]);
  gate.failing = () => true;
  const changed = await gateway.database.$executeRaw`
    UPDATE graphile_worker._private_jobs SET run_at = now(), attempts = max_attempts - 1 WHERE key = ${`settle:${id}`}`;
  expect(changed).toBe(1);
  const jobs = jobTable(world, { wake: async () => undefined });
  const queue = await runQueue({ url: gateway.url, jobs, log: silentLog, timing: quick });
  onTestFinished(() => queue.stop(), 30_000);
  await until(async () => (await faults()).includes(failedJob));
  await settleByHand(signed);
  await gateway.observe();
  expect(await gateway.status(id)).toBe('SETTLED');
  // The worker's node is still unavailable, but the job reads our own books first.
  await until(async () => (await faults()).length === 0);
});

it('a job whose node returns completes without intervention', async () => {
  const gate = await openRpcGate(gateway.evm.rpcUrl);
  const rpc = [{ ...gateway.evm.rpcSettings, urls: [gate.url] }];
  const world = { ...gateway.action, nodes: openEvmNodes({ registry: gateway.registry, rpc }) };
  const { id } = await gateway.pay();
  await gateway.passTime(110);
  gate.failing = () => true;
  await gateway.database.$executeRaw`
    UPDATE graphile_worker._private_jobs SET run_at = now(), attempts = max_attempts - 1 WHERE key = ${`settle:${id}`}`;
  const jobs = jobTable(world, { wake: async () => undefined });
  const queue = await runQueue({ url: gateway.url, jobs, log: silentLog, timing: quick });
  onTestFinished(() => queue.stop(), 30_000);
  await until(async () => (await faults()).includes(failedJob));
  gate.failing = () => false;
  await until(async () => (await gateway.steps(id)).includes('SETTLE PENDING'));
  await until(async () => !(await faults()).includes(failedJob));
  await gateway.turnPumps();
  await gateway.settleDown();
  expect(await gateway.status(id)).toBe('SETTLED');
  expect(await faults()).toEqual([]);
});

it('a transaction that was given up is no longer a fault once its payment has ended otherwise', async () => {
  const { id, signed } = await gateway.pay();
  await giveUp('SETTLE', { id, signed });
  expect(await gateway.steps(id)).toContain('SETTLE FAILED');
  expect(await faults()).toEqual([givenUp]);
  await gateway.passTime(110);
  await settleByHand(signed);
  await gateway.observe();
  expect(await gateway.status(id)).toBe('SETTLED');
  expect(await faults()).toEqual([]);
});

it('a step that was given up is no longer a fault once a reorganization has removed its payment', async () => {
  const before = await gateway.evm.publicClient.getBlockNumber();
  const { id, signed } = await gateway.pay();
  await giveUp('SETTLE', { id, signed });
  expect(await gateway.steps(id)).toContain('SETTLE FAILED');
  expect(await faults()).toEqual([givenUp]);
  const head = await gateway.evm.publicClient.getBlockNumber();
  await gateway.evm.reorg(Number(head - before));
  await gateway.evm.mine(1);
  await gateway.observe();
  expect((await gateway.state(signed.id)).status).toBe('NONE');
  expect(await gateway.held(signed.id)).toBe(0n);
  expect(await faults()).toEqual([]);
});

it('an authorization that was given up is no longer a fault once its terms cannot be authorized', async () => {
  const intent = await gateway.intent({ captureMode: 'AUTOMATIC' });
  const signed = await gateway.sign(intent);
  const refused: Call = { to: gateway.evm.usdc.address, data: '0xdeadbeef', value: 0n };
  await giveUp('AUTHORIZE', { id: intent.id, signed, call: refused });
  expect(await gateway.steps(intent.id)).toEqual(['AUTHORIZE FAILED']);
  expect(await faults()).toEqual([givenUp]);
  await gateway.database.paymentTerms.updateMany({
    where: { chainId: gateway.evm.chainId, termsHash: signed.id },
    data: { authorizeBy: new Date(Date.now() - 1_000) },
  });
  expect(await faults()).toEqual([]);
});

it('an authorization that fails because of the payer is no fault', async () => {
  const intent = await gateway.intent({ captureMode: 'AUTOMATIC' });
  const signed = await gateway.sign(intent);
  const [payer] = gateway.evm.payers;
  const pull = [payer.address, gateway.evm.merchant.address, 10n ** 30n] as const;
  await giveUp('AUTHORIZE', {
    id: intent.id,
    signed,
    call: {
      to: gateway.evm.usdc.address,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: pull }),
      value: 0n,
    },
  });
  const row = await gateway.database.outgoingTransaction.findFirstOrThrow({ orderBy: { id: 'desc' } });
  expect([row.status, row.error]).toEqual(['FAILED', expect.stringMatching(/allowance|balance/i)]);
  expect(await faults()).toEqual([]);
});
