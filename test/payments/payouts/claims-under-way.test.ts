/** Which claims of ours count as being on their way: fewer for sending another one than for showing it. */
import { expect, it } from 'vitest';
import {
  claimPurpose,
  claimsUnderWay,
  recipientKey,
  unfinishedClaim,
  unminedClaim,
} from '../../../src/payments/payouts/claims-under-way.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { freshDatabase } from '../../setup/database/database.ts';

it('is one that is not mined yet, and for showing also one that is not final', async () => {
  const { database } = await freshDatabase();
  const statuses = ['QUEUED', 'SIGNED', 'SENT', 'MINED', 'FINAL', 'FAILED', 'CANCELLED'] as const;
  const keys = statuses.map((status) => recipientKey({ chainId: 1, recipient: status, token: '0x01' }));
  const sentAt = new Date('2026-01-01T00:00:00Z');
  for (const [index, status] of statuses.entries()) {
    const sent = { chainId: 1, sender: '0x00', toAddress: '0x00', data: '0x', status };
    for (const later of [0, 1]) {
      const purpose = `${claimPurpose(keys[index] ?? '')}${later}`;
      const createdAt = new Date(sentAt.getTime() + later);
      await database.outgoingTransaction.create({ data: { id: newId(), ...sent, purpose, createdAt } });
    }
  }
  const found = async (wanted: Parameters<typeof claimsUnderWay>[1]['statuses']) => {
    const claims = await claimsUnderWay(database, { keys, statuses: wanted });
    expect([...claims.values()].every((at) => at.getTime() === sentAt.getTime() + 1)).toBe(true);
    return statuses.filter((_, index) => claims.has(keys[index] ?? ''));
  };
  expect(await found(unminedClaim)).toEqual(['QUEUED', 'SIGNED', 'SENT']);
  expect(await found(unfinishedClaim)).toEqual(['QUEUED', 'SIGNED', 'SENT', 'MINED']);
  expect(await claimsUnderWay(database, { keys: [], statuses: unfinishedClaim })).toEqual(new Map());
});
