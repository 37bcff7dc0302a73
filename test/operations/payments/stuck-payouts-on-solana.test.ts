/** `ops payments stuck` on Solana: missing rent of a fee recipient, missing fees of our key, and recipients. */
import { type Connection, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { beforeAll, expect, it } from 'vitest';
import { openSolanaGateway, type Quoted, type SolanaGateway } from '../../setup/gateway/solana-gateway.ts';
import { stuckAt } from './stuck-ground.ts';

let gateway: SolanaGateway;
let connection: Connection;
beforeAll(async () => {
  gateway = await openSolanaGateway();
  ({ connection } = gateway.solana);
}, 60_000);

const stuck = (...args: string[]) => stuckAt(gateway.world, ...args);

/** Pays the fee itself, so that the sender can transfer its whole balance. */
async function give(from: Keypair, to: string, amount: bigint): Promise<void> {
  const { solana } = gateway;
  const [, payer] = solana.payers;
  const toPubkey = new PublicKey(to);
  const transfer = SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey, lamports: amount });
  const transaction = new Transaction().add(transfer);
  transaction.feePayer = new PublicKey(payer.address);
  await solana.send(transaction, [solana.keypairOf(payer), from]);
}

async function settled(fields: Partial<Quoted['terms']>): Promise<Quoted> {
  const quoted = await gateway.quote(null, null, fields);
  await gateway.pay(quoted);
  await gateway.settleDown();
  gateway.passTime(101);
  await gateway.settleDown();
  return quoted;
}

it('lists the rent that a fee recipient lacks, and the share of another wallet as its recipient’s task', async () => {
  const [fee, merchant] = [Keypair.generate().publicKey.toBase58(), Keypair.generate().publicKey.toBase58()];
  const quoted = await settled({ feeRecipient: fee });
  const [row, ...others] = await stuck();
  expect(others).toEqual([]);
  expect(row).toMatchObject({
    waitsFor: 'MONEY',
    cause: 'RENT',
    of: 'payment',
    id: quoted.intent.id,
    chainId: gateway.solana.chainId,
    amount: '0.0001',
    unit: 'SOL',
    do: `Send ${fee} some SOL, at least the rent exemption; the share is then paid automatically.`,
  });
  expect(row?.why).toMatch(
    new RegExp(`^The fee recipient ${fee} could not be paid, and \\w{32,44} keeps its share\\.$`),
  );
  await gateway.database.creditedPayout.updateMany({ data: { role: 'MERCHANT', recipient: merchant } });
  expect(await stuck()).toMatchObject([{ waitsFor: 'RECIPIENT', cause: 'KEPT_SHARE' }]);
  await gateway.database.creditedPayout.updateMany({ data: { role: 'FEE_RECIPIENT', recipient: fee } });
  const { solana } = gateway;
  await give(solana.keypairOf(solana.payers[0]), fee, 1_000_000n);
  gateway.passTime(7 * 3600);
  await gateway.settleDown();
  expect(await stuck()).toEqual([]);
});

it('lists transactions whose fees the installation’s key cannot pay, until it can', async () => {
  const { solana } = gateway;
  const { operator, payers } = solana;
  const all = BigInt(await connection.getBalance(new PublicKey(operator.address), 'confirmed'));
  await give(solana.keypairOf(operator), payers[0].address, all);
  const quoted = await settled({ feeRecipient: solana.feeRecipient.address });
  expect(await stuck()).toMatchObject([
    {
      waitsFor: 'MONEY',
      cause: 'GAS',
      id: quoted.intent.id,
      amount: '0.01',
      unit: 'SOL',
      why: `SETTLE: The operator's key ${operator.address} holds 0 lamports: too few to pay fees.`,
      do: expect.stringMatching(/^Send SOL on .+ to the key named in the cause/),
    },
  ]);
  // The party that has to act is the one that the pump recorded, not one parsed from its message.
  for (const [noted, waitsFor, cause] of [
    ['RECIPIENT', 'RECIPIENT', 'UNPAYABLE'],
    ['PERSON', 'PERSON', 'PAYOUT'],
  ] as const) {
    await gateway.database.outgoingTransaction.updateMany({ where: { status: 'QUEUED' }, data: { waitsFor: noted } });
    expect(await stuck()).toMatchObject([{ waitsFor, cause, id: quoted.intent.id }]);
  }
  await give(solana.keypairOf(payers[0]), operator.address, 1_000_000_000n);
  gateway.passTime(60);
  await gateway.settleDown();
  expect(await stuck()).toEqual([]);
});
