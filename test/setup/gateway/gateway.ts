/**
 * A whole gateway without its HTTP server: a real chain, a database, the projector reading the node's logs, the pumps of operator and
 * arbiter, and the queue's jobs. They run only when a test calls them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { erc20Abi, type Hex, parseEther } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import type { Scope } from '../../../src/auth/principal.ts';
import { openSecretKeys } from '../../../src/auth/tokens/secret-keys.ts';
import type { PaymentTerms } from '../../../src/escrow/terms.ts';
import type { ChainView } from '../../../src/facts/chain-view.ts';
import { newProjectorMemory, observeChain } from '../../../src/facts/observe-chain.ts';
import { factTable } from '../../../src/main/fact-table.ts';
import { jobTable, reactionTable } from '../../../src/main/job-table.ts';
import { openPumps } from '../../../src/main/open-sending.ts';
import { watchBalances } from '../../../src/main/watch-balances.ts';
import { openOperatorSigner } from '../../../src/operator/operator-signer.ts';
import { sendLimits } from '../../../src/operator/outgoing-transaction.ts';
import { newExactMemory } from '../../../src/payments/x402/exact/watch-exact.ts';
import { openAdvisoryLocks } from '../../../src/platform/advisory-locks.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { openMailer } from '../../../src/platform/mail/mail.ts';
import type { PriceBook } from '../../../src/prices/price-source.ts';
import { fixedPrices } from '../../../src/prices/sources/fixed-prices.ts';
import { openGround, type Signed } from '../../payments/ground.ts';
import { openConsumers } from '../receivers/consume-events.ts';
import { onTeardown } from '../teardown.ts';

export type Gateway = Awaited<ReturnType<typeof openGateway>>;

/** The maximum number of rounds of pump, projector and jobs without progress although something is due. */
const STILL_ROUNDS_LIMIT = 20;
/** The pause after such a round, multiplied by their number, because the node may not have mined a transaction yet. */
const STILL_PAUSE_MS = 50;
/** The maximum number of rounds until nothing is left to do. More rounds indicate an endless loop. */
const ROUNDS_LIMIT = 1_000;

type GroundOptions = Pick<
  NonNullable<Parameters<typeof openGround>[0]>,
  'chainId' | 'evm' | 'finalityBlocks' | 'confirmations' | 'database'
>;

/**
 * `finalityBlocks`: how far the finalized block lags behind the head, an even number. `senderKeys`: the number of sender keys, each with
 * gas. `smtpUrl`: the server for mails. Without it, mails are only logged.
 */
export async function openGateway(options: GroundOptions & { senderKeys?: number; smtpUrl?: string } = {}) {
  const ground = await openGround(options);
  const { evm, database, registry, nodes, source } = ground;
  let skewMs = 0;
  const clock = { now: () => new Date(Date.now() + skewMs) };
  const operator = openOperatorSigner({ privateKey: evm.operator.privateKey });
  const arbiter = openOperatorSigner({ privateKey: evm.arbiter.privateKey });
  const senderKeys = Array.from({ length: options.senderKeys ?? 0 }, () =>
    openOperatorSigner({ privateKey: generatePrivateKey() }),
  );
  for (const { address } of senderKeys) await evm.testClient.setBalance({ address, value: parseEther('100') });
  const locks = openAdvisoryLocks({ url: ground.url, log: silentLog });
  onTeardown(() => locks.close());
  const config = { rpc: [evm.rpcSettings], publicUrl: 'http://localhost:4000', quoteSeconds: 600 };
  let book = fixedPrices({ clock }, '');
  const prices: PriceBook = { usdPrice: (symbol) => book.usdPrice(symbol), fiatUsd: (fiat) => book.fiatUsd(fiat) };
  const mailer = openMailer({
    smtpUrl: options.smtpUrl,
    from: 'Sluice <no-reply@localhost>',
    isProduction: false,
    log: silentLog,
  });
  const secretKeys = openSecretKeys({});
  const base = { database, clock, registry, nodes, operator, arbiter, senders: senderKeys, log: silentLog };
  const world = { ...base, secretKeys, config, mailer, prices };
  const limits = { ...sendLimits, resendAfterMs: 1_000 };
  const pump = openPumps({ ...world, locks, limits });
  const handlers = factTable(world);
  const exactMemory = newExactMemory();
  const projector = {
    database,
    clock,
    registry,
    nodes,
    source,
    handlers,
    log: silentLog,
    memory: newProjectorMemory(),
    watch: (view: ChainView) => watchBalances({ ...base, memory: exactMemory }, view),
  };
  const jobs = jobTable(world, { wake: pump });
  const consume = openConsumers({ database, reactions: reactionTable(world) });
  const senders = [operator, arbiter, ...senderKeys].map((one) => one.address.toLowerCase());
  const app = await database.app.findUniqueOrThrow({ where: { id: ground.app.id } });
  const scope: Scope = { merchantId: app.merchantId, appId: app.id };

  const observe = () => observeChain(projector, { chainId: evm.chainId });
  const turnPumps = async () => {
    for (const sender of senders) await pump({ chainId: evm.chainId, sender });
  };
  /** Lets the consumers handle new events, and runs the jobs that are due. Returns the names of the jobs. */
  const runDueJobs = async (): Promise<string[]> => {
    const consumed = (await consume()) ? ['events'] : [];
    const due = await database.$queryRaw<{ id: bigint; name: string; payload: unknown }[]>`
      SELECT job.id, task.identifier AS name, job.payload FROM graphile_worker._private_jobs job
      JOIN graphile_worker._private_tasks task ON task.id = job.task_id
      WHERE job.run_at <= ${clock.now()} ORDER BY job.id`;
    for (const job of due) {
      await database.$queryRaw`SELECT id::text FROM graphile_worker.complete_jobs(ARRAY[${job.id}::bigint])`;
      await jobs.get(job.name)?.(job.payload);
    }
    return [...consumed, ...due.map((job) => job.name)];
  };
  const sendersWithWork = async (): Promise<string[]> => {
    const open = await database.outgoingTransaction.findMany({
      where: {
        OR: [
          { status: { in: ['SIGNED', 'SENT'] } },
          { status: 'MINED', confirmedAt: null },
          { status: 'QUEUED', OR: [{ notBefore: null }, { notBefore: { lte: clock.now() } }] },
        ],
      },
      distinct: ['sender'],
      select: { sender: true },
    });
    return open.map((row) => row.sender);
  };
  /** Runs everything that is due, on chain and in the gateway, until nothing is left to do. */
  const settleDown = async (): Promise<void> => {
    let due = '';
    for (let round = 0, still = 0; round < ROUNDS_LIMIT && still < STILL_ROUNDS_LIMIT; round += 1) {
      for (const sender of await sendersWithWork()) await pump({ chainId: evm.chainId, sender });
      await observe();
      const ran = await runDueJobs();
      if (ran.length === 0 && (await sendersWithWork()).length === 0) return;
      const now = await stillDue(ground);
      still = now === due ? still + 1 : 0;
      due = now;
      if (still > 0) await delay(still * STILL_PAUSE_MS);
    }
    throw new Error(`The gateway did not become idle. ${due}`);
  };

  return {
    ...ground,
    clock,
    scope,
    action: world,
    projector,
    locks,
    limits,
    observe,
    pump,
    turnPumps,
    runDueJobs,
    stillDue: () => stillDue(ground),
    /** Sets prices in addition to the default ones, for example "USDC=0.5". */
    setPrices(table: string) {
      book = fixedPrices({ clock }, table);
    },
    settleDown,
    /** Advances both the chain and the clock. Failed simulations are due again afterwards. */
    async passTime(seconds: number) {
      skewMs += seconds * 1000;
      await evm.passTime(seconds);
    },
    /** Creates and pays an intent, and runs all that the gateway then does without further calls. */
    async pay(fields: Partial<PaymentTerms> = {}) {
      const captureMode = fields.captureOnAuthorize === false ? 'MANUAL' : 'AUTOMATIC';
      const intent = await ground.intent({ captureMode });
      const signed = await ground.sign(intent, fields);
      await ground.authorize(signed);
      await settleDown();
      return { id: intent.id, signed };
    },
    /** The transactions of a payment as "TYPE STATUS", oldest first. */
    async steps(id: string): Promise<string[]> {
      const rows = await database.transaction.findMany({
        where: { paymentIntentId: id },
        orderBy: { id: 'asc' },
      });
      return rows.map((row) => `${row.type} ${row.status}`);
    },
    status: async (id: string) => (await ground.read(id)).status,
    /** The changes in the balances of payer, merchant, fee recipient and escrow that `work` causes. */
    async gained(work: () => Promise<unknown>) {
      const before = await tokenBalances(ground);
      await work();
      const after = await tokenBalances(ground);
      return {
        payer: after.payer - before.payer,
        merchant: after.merchant - before.merchant,
        fee: after.fee - before.fee,
        escrow: after.escrow - before.escrow,
      };
    },
    /** The amount left according to the books, the contract and the intent. Throws if they differ. */
    async remainingAmount(id: string, signed: Pick<Signed, 'id'>): Promise<bigint> {
      const [held, contract, intent] = [
        await ground.held(signed.id),
        await ground.state(signed.id),
        await ground.read(id),
      ];
      const reported = BigInt(intent.leftAmount?.toFixed() ?? '0');
      if (held !== contract.left || reported !== contract.left) {
        throw new Error(`The books say ${held}, the contract ${contract.left}, the intent ${reported}.`);
      }
      return contract.left;
    },
  };
}

/** The pending transactions by sender and nonce, the nonces used on chain, and the next jobs. */
async function stillDue({ database, evm }: Awaited<ReturnType<typeof openGround>>): Promise<string> {
  const open = await database.outgoingTransaction.findMany({
    where: { OR: [{ status: { in: ['QUEUED', 'SIGNED', 'SENT'] } }, { status: 'MINED', confirmedAt: null }] },
    orderBy: [{ sender: 'asc' }, { nonce: 'asc' }],
    include: { attempts: { select: { hash: true } } },
  });
  const sending = open.map(
    ({ sender, nonce, status, purpose, failures, attempts, error }) =>
      `${sender.slice(0, 6)} nonce ${nonce} ${status} ${purpose}, failures ${failures}, attempts ${attempts.length}, ${error}`,
  );
  const nonces = await Promise.all(
    [evm.operator, evm.arbiter].map(async ({ address }) => {
      const used = await evm.publicClient.getTransactionCount({ address });
      return `${address.slice(0, 6).toLowerCase()} has used ${used} nonces`;
    }),
  );
  const jobs = await database.$queryRaw<{ description: string }[]>`
    SELECT job.id || ' ' || task.identifier || ' ' || job.payload AS description FROM graphile_worker._private_jobs job
    JOIN graphile_worker._private_tasks task ON task.id = job.task_id ORDER BY job.run_at, job.id LIMIT 20`;
  return ['Still due:', ...nonces, ...sending, ...jobs.map((job) => job.description)].join('\n  ');
}

async function tokenBalances({ evm }: Awaited<ReturnType<typeof openGround>>) {
  const of = (address: Hex) =>
    evm.publicClient.readContract({
      address: evm.usdc.address,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [address],
    });
  const [payer, merchant, fee, escrow] = await Promise.all([
    of(evm.payers[0].address),
    of(evm.merchant.address),
    of(evm.feeRecipient.address),
    of(evm.escrow),
  ]);
  return { payer, merchant, fee, escrow };
}
