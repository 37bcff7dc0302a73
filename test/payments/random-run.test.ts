/** After any run of payments and reorganisations every intent, ledger and contract agree. */
import { erc20Abi, getAddress, type Hex, isHex, parseEventLogs } from 'viem';
import { describe, expect, it } from 'vitest';
import { verifyOpenPayments } from '../../src/payments/verification/verify-open-payments.ts';
import { verifyPayment } from '../../src/payments/verification/verify-payment.ts';
import { type Gateway, openGateway } from '../setup/gateway/gateway.ts';
import { randomRun } from './random-run.ts';

/** Set by `npm run reorgs`. */
const steps = Number(process.env.RANDOM_STEPS ?? 40);
const least = Number(process.env.RANDOM_LEAST ?? 0);
const seed = Number(process.env.RANDOM_SEED ?? 20_261_122);

/** Of a deposit address: what arrived was collected, went back, or lies there, as the chain itself says. */
async function requireAddedUp(gateway: Gateway, id: Hex): Promise<void> {
  const { database, evm } = gateway;
  const deposit = await database.depositAddress.findUniqueOrThrow({
    where: { chainId_termsHash: { chainId: evm.chainId, termsHash: id } },
    include: { balances: true },
  });
  const { status } = await gateway.state(id);
  const paid = await database.chainFact.findFirst({
    where: { ref: id, kind: 'Authorized', status: { not: 'ORPHANED' } },
    select: { txHash: true },
  });
  for (const token of [evm.usdc.address, evm.usdt.address]) {
    const row = deposit.balances.find((balance) => balance.token === token.toLowerCase());
    const [received, returned] = [BigInt(row?.received.toFixed() ?? 0), BigInt(row?.returned.toFixed() ?? 0)];
    const holds = await evm.publicClient.readContract({
      address: token,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [getAddress(deposit.address)],
    });
    const isCollected = token === evm.usdc.address && status !== 'NONE' && (await isFromDeposit(gateway, paid?.txHash));
    const collected = isCollected ? BigInt(deposit.amount.toFixed()) : 0n;
    expect({ id, token, received }).toEqual({ id, token, received: returned + holds + collected });
    expect({ id, token, held: BigInt(row?.held.toFixed() ?? 0) }).toEqual({ id, token, held: holds });
  }
}

async function isFromDeposit({ evm }: Gateway, txHash: string | undefined): Promise<boolean> {
  if (!isHex(txHash)) return false;
  const receipt = await evm.publicClient.getTransactionReceipt({ hash: txHash });
  const outs = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs });
  const payers = new Set(evm.payers.map(({ address }) => address));
  return outs.some(({ args }) => args.to === evm.escrow && !payers.has(args.from));
}

describe('a random run', () => {
  it(`of ${steps} steps with seed ${seed} leaves no drift`, {
    timeout: 240_000 + (steps + 8 * least) * 2_000,
  }, async () => {
    const gateway = await openGateway({ finalityBlocks: 40, senderKeys: 2 });
    const run = await randomRun(gateway, { seed, steps, deepest: 6, least });
    expect(run.reorganisations).toBeGreaterThan(0);
    expect(Math.min(run.reorganisations, run.payments.length)).toBeGreaterThanOrEqual(least);
    const world = { ...gateway.action, logs: gateway.source };
    for (const intentId of run.intents) {
      const { verdict, faults, payments } = await verifyPayment(world, { intentId });
      expect({ intentId, verdict, faults, payments: payments.flatMap((payment) => payment.faults) }).toEqual({
        intentId,
        verdict: 'MATCH',
        faults: [],
        payments: [],
      });
      // Nothing is under way any more, so that nothing may wait for it.
      expect(await gateway.status(intentId)).not.toBe('REFUND_PENDING');
    }
    for (const signed of run.payments)
      expect(await gateway.held(signed.id)).toBe((await gateway.state(signed.id)).left);
    for (const { id } of run.transfers) await requireAddedUp(gateway, id);
    const [chain] = await verifyOpenPayments(world);
    expect(chain?.drifts).toEqual([]);
    expect(chain?.tokens.every((token) => token.covered)).toBe(true);
    if (process.env.RANDOM_STEPS) {
      const counts = {
        intents: run.intents.length,
        payments: run.payments.length,
        reorganisations: run.reorganisations,
      };
      console.log(JSON.stringify({ seed, steps, ...counts, takenBack: Object.fromEntries(run.takenBack) }));
    }
  });
});
