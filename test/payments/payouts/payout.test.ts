/** Which claim delivers which credit, by their places alone, and when delivering is tried. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Claim, type Credit, foldPayouts, nextTryAt } from '../../../src/payments/payouts/payout.ts';

const place = (blockNumber: number, logIndex: number) => ({
  chainId: 1,
  blockNumber: BigInt(blockNumber),
  blockHash: `0x${blockNumber}`,
  blockTimestamp: BigInt(blockNumber),
  txHash: `0x${blockNumber}${logIndex}`,
  logIndex,
  token: 'usdc',
  amount: 1n,
});
const credit = (recipient: string, block: number, log: number): Credit => ({
  ...place(block, log),
  recipient,
  termsHash: '0x1',
  role: 'MERCHANT',
  keptAt: null,
});
const claim = (recipient: string, block: number, log: number): Claim => ({
  ...place(block, log),
  recipient,
  to: recipient,
});

const claimOf = (one: Credit, claims: readonly Claim[]) => foldPayouts([one], claims)[0]?.claim;

it('delivers a credit by the first claim of the same recipient after it', () => {
  const claims = [claim('a', 9, 0), claim('a', 5, 2), claim('b', 4, 0), claim('a', 3, 0)];
  expect(claimOf(credit('a', 3, 1), claims)).toBe(claims[1]);
  expect(claimOf(credit('a', 5, 3), claims)).toBe(claims[0]);
  expect(claimOf(credit('a', 2, 0), claims)).toBe(claims[3]);
  expect(claimOf(credit('a', 9, 1), claims)).toBeNull();
  expect(claimOf({ ...credit('a', 3, 1), token: 'usdt' }, claims)).toBeNull();
});

it('leaves undelivered exactly what the contract owes, whatever the order of credits and claims', () => {
  const log = fc.record({ isClaim: fc.boolean(), recipient: fc.constantFrom('a', 'b') });
  fc.assert(
    fc.property(fc.array(log, { maxLength: 30 }), (logs) => {
      const held = new Map<string, number>();
      const credits: Credit[] = [];
      const claims: Claim[] = [];
      for (const [index, { isClaim, recipient }] of logs.entries()) {
        if (isClaim) claims.push(claim(recipient, index, 0));
        else credits.push(credit(recipient, index, 0));
        held.set(recipient, isClaim ? 0 : (held.get(recipient) ?? 0) + 1);
      }
      for (const recipient of ['a', 'b']) {
        const open = foldPayouts(credits, claims).filter((one) => one.credit.recipient === recipient && !one.claim);
        expect(open.length).toBe(held.get(recipient) ?? 0);
      }
    }),
  );
});

it('is tried 5 minutes and an hour after the credit, and every 6 hours after that', () => {
  const seen = new Date('2026-01-01T00:00:00Z');
  const after = (seconds: number) => new Date(seen.getTime() + seconds * 1000);
  expect(nextTryAt(seen, seen)).toEqual(after(300));
  expect(nextTryAt(seen, after(300))).toEqual(after(3600));
  expect(nextTryAt(seen, after(3600))).toEqual(after(3600 + 6 * 3600));
  expect(nextTryAt(seen, after(90_000))).toEqual(after(90_000 + 6 * 3600));
});
