/** A local Solana that is stored in a file continues after a restart, even if it was killed during a write. */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair, LAMPORTS_PER_SOL, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { expect, it } from 'vitest';
import { openSolana } from '../../setup/chains/solana.ts';
import { onTeardown } from '../../setup/teardown.ts';

it('keeps accounts, signatures and the genesis across a restart, and drops an incomplete line', async () => {
  const folder = mkdtempSync(join(tmpdir(), `sluice-test-${process.pid}-`));
  onTeardown(async () => rmSync(folder, { recursive: true, force: true }));
  const journalFile = join(folder, 'solana.jsonl');
  const first = await openSolana({ journalFile });
  const payer = first.keypairOf(first.payers[0]);
  const to = Keypair.generate();
  const pay = SystemProgram.transfer({
    fromPubkey: payer.publicKey,
    toPubkey: to.publicKey,
    lamports: 2 * LAMPORTS_PER_SOL,
  });
  const signature = await first.send(new Transaction().add(pay), [payer]);
  const back = SystemProgram.transfer({ fromPubkey: to.publicKey, toPubkey: payer.publicKey, lamports: 500_000_000 });
  await first.send(new Transaction({ feePayer: payer.publicKey }).add(back), [payer, to]);
  // Recipients of small shares hold the minimum balance of an account.
  const least = await first.connection.getMinimumBalanceForRentExemption(0);
  for (const { address } of [first.merchant, first.feeRecipient]) {
    expect(await first.connection.getBalance(new PublicKey(address))).toBe(least);
  }
  const held = await first.tokenBalance(first.usdc, payer.publicKey);
  const slot = first.node.slot();
  await first.node.stop();
  appendFileSync(journalFile, '{"record":{"signature":"half a li');

  const second = await openSolana({ journalFile });
  expect(second.node.genesisHash).toBe(first.node.genesisHash);
  expect(second.node.slot()).toBeGreaterThan(slot);
  expect(await second.connection.getBalance(to.publicKey)).toBe(1.5 * LAMPORTS_PER_SOL);
  expect(await second.tokenBalance(second.usdc, payer.publicKey)).toBe(held);
  const listed = await second.connection.getSignaturesForAddress(to.publicKey, {}, 'finalized');
  expect(listed.at(-1)).toMatchObject({ signature, err: null });
  const read = await second.connection.getTransaction(signature, { commitment: 'finalized' });
  expect(read?.meta?.postBalances).toContain(2 * LAMPORTS_PER_SOL);
  // Nothing is created again, and new transactions land after the stored ones.
  const next = await second.send(new Transaction().add(pay), [payer]);
  expect((await second.connection.getSignatureStatuses([next])).value[0]?.slot).toBeGreaterThan(slot);
  await second.node.stop();

  const third = await openSolana({ journalFile });
  expect(await third.connection.getBalance(to.publicKey)).toBe(3.5 * LAMPORTS_PER_SOL);
  const kept = await third.connection.getTransaction(next, { commitment: 'finalized' });
  expect(kept?.slot).toBeGreaterThan(slot);
});
