import { expect, test } from 'vitest';
import { numberOf, rowReader } from '../../../src/api/graphql/events/row-at-event.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openApi } from '../../setup/api/api.ts';

test('a row is read once for all followers of an event, and again after a failure', async () => {
  const { world, merchantA } = await openApi();
  const id = newId();
  const event = {
    appId: merchantA.appId,
    sequence: 7n,
    id: newId(),
    type: 'customer.updated',
    resourceId: id,
    data: { name: 'As of the event' },
    finality: null,
    requestId: null,
    createdAt: new Date(),
  };
  let reads = 0;
  const readRow = rowReader<{ id: string; name: string }>({
    find: async (_world, place) => {
      reads += 1;
      if (reads === 1) throw new Error('No connection is free.');
      return { id: place.id, name: 'As of now' };
    },
    at: (row, data) => ({ ...row, name: String(data.name) }),
  });
  await expect(readRow(world, event, id)).rejects.toThrow('No connection is free.');
  const [one, other] = await Promise.all([readRow(world, event, id), readRow(world, event, id)]);
  expect(one).toEqual({ id, name: 'As of the event' });
  expect(other).toBe(one);
  expect(numberOf(one ?? {})).toBe(7n);
  expect(reads).toBe(2);
});
