/** One payer with one key who pays on two chains at once. Each chain has a gateway of its own over the same database. */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, it, vi } from 'vitest';
import { contractAddress } from '../../../src/chains/chain.ts';
import { authorizationAbi } from '../../../src/chains/evm/transfer-authorization.ts';
import { hex } from '../../../src/payments/x402/exact/exact-authorization.ts';
import { openGateway } from '../../setup/gateway/gateway.ts';
import { type ExactGround, exactClient, openExactGround, type Signed } from './exact-ground.ts';

vi.setConfig({ testTimeout: 240_000 });

let here: ExactGround;
let there: ExactGround;

beforeAll(async () => {
  here = await openExactGround();
  const { database, url, app, scope } = here.gateway;
  const other = await openGateway({ chainId: 31338, finalityBlocks: 40, database: { database, url } });
  const gateway = { ...other, app, scope };
  there = { gateway, ...(await exactClient(gateway)) };
});

/** Pumps and projectors of both chains, in turns, until both payments have an outcome. */
async function work(payments: readonly [ExactGround, Signed][]): Promise<void> {
  const isOpen = async () => {
    const rows = await Promise.all(payments.map(([ground, signed]) => rowOn(ground, signed)));
    return rows.some(({ status }) => status === 'PENDING');
  };
  for (let round = 0; round < 20 && (await isOpen()); round += 1) {
    await Promise.all([here.gateway.turnPumps(), there.gateway.turnPumps()]);
    await Promise.all([here.gateway.observe(), there.gateway.observe()]);
    // A node may not have mined yet what it was sent.
    await delay(round * 50);
  }
}

const rowOn = ({ gateway, token }: ExactGround, { signed }: Signed) =>
  gateway.database.exactAuthorization.findFirstOrThrow({ where: { chainId: token.chainId, nonce: signed.nonce } });
const balanceOn = ({ gateway, token, payer }: ExactGround): Promise<bigint> =>
  gateway.evm.publicClient.readContract({
    address: contractAddress(token),
    abi: authorizationAbi,
    functionName: 'balanceOf',
    args: [hex(payer.address)],
  });
/** What both chains' payers and merchants have gained by `work`, in turn. */
async function gainedOnBoth(work: () => Promise<unknown>) {
  let onOther: Awaited<ReturnType<ExactGround['gateway']['gained']>> | undefined;
  const own = await here.gateway.gained(async () => {
    onOther = await there.gateway.gained(work);
  });
  return [own, onOther];
}

it('the same authorization, to the nonce, is a payment of its own on each chain', async () => {
  const first = await here.sign();
  const second = await there.sign(first.signed);
  expect(second.signed).toEqual(first.signed);
  expect(second.signature).not.toBe(first.signature);
  expect(contractAddress(there.token)).toBe(contractAddress(here.token));

  const gained = await gainedOnBoth(async () => {
    const answers = await Promise.all([1, 2, 3].flatMap(() => [here.settle(first), there.settle(second)]));
    expect(answers.every(({ reason }) => reason === 'settlement_pending')).toBe(true);
    expect(new Set(answers.map(({ paymentIntentId }) => paymentIntentId)).size).toBe(2);
    await work([
      [here, first],
      [there, second],
    ]);
  });
  const moved = { payer: -10_000n, merchant: 10_000n, fee: 0n, escrow: 0n };
  expect(gained).toEqual([moved, moved]);

  const outcomes = [await here.settle(first), await there.settle(second)];
  for (const [index, ground] of [here, there].entries()) {
    const { success, replayed, transaction, paymentIntentId } = outcomes[index] ?? { success: false };
    expect({ success, replayed }).toEqual({ success: true, replayed: false });
    const { chainId } = ground.token;
    expect(await ground.gateway.read(paymentIntentId ?? '')).toMatchObject({
      status: 'SETTLED',
      authorizationChainId: chainId,
      authorizationTxHash: transaction,
      cryptoTokenKey: ground.token.key,
      x402Network: `eip155:${chainId}`,
    });
    expect(await ground.gateway.events(paymentIntentId ?? '')).toEqual(['created', 'pending', 'settled']);
    expect(await ground.gateway.evm.publicClient.getTransactionReceipt({ hash: hex(transaction ?? '') })).toMatchObject(
      {
        status: 'success',
      },
    );
  }
  expect(await here.settle(first)).toMatchObject({ success: true, replayed: true });
});

it('a signature for one chain does not pay on the other', async () => {
  const signed = await here.sign();
  const gained = await gainedOnBoth(async () => {
    expect(await there.settle(signed)).toMatchObject({ success: false, reason: 'invalid_exact_evm_signature' });
  });
  expect(gained.map((money) => money?.payer)).toEqual([0n, 0n]);
  expect(await there.gateway.database.exactAuthorization.count({ where: { nonce: signed.signed.nonce } })).toBe(0);
});

it('the balance and the payments under way count for each chain alone', async () => {
  const [all, other] = [await balanceOn(here), await balanceOn(there)];
  const signedHere = await here.sign({ value: all });
  const signedThere = await there.sign({ value: other });
  const gained = await gainedOnBoth(async () => {
    const [first, second] = await Promise.all([
      here.settle(signedHere, { amount: all }),
      there.settle(signedThere, { amount: other }),
    ]);
    expect([first?.reason, second?.reason]).toEqual(['settlement_pending', 'settlement_pending']);
    for (const ground of [here, there]) {
      expect(await ground.settle(await ground.sign())).toMatchObject({
        reason: 'invalid_exact_evm_insufficient_balance',
      });
    }
    await work([
      [here, signedHere],
      [there, signedThere],
    ]);
  });
  expect(gained).toMatchObject([
    { payer: -all, merchant: all },
    { payer: -other, merchant: other },
  ]);
  expect(await here.settle(signedHere, { amount: all })).toMatchObject({ success: true });
  expect(await there.settle(signedThere, { amount: other })).toMatchObject({ success: true });
});
