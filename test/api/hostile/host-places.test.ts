/** Slots for calls to external hosts, and their queue. */
import { expect, it } from 'vitest';
import { hostPlaces } from '../../../src/api/images/host-places.ts';

const limits = { inAll: 3, ofHost: 2, waitingInAll: 3, waitingOfHost: 2, waitMs: 60_000 };

/** Calls that run until the test ends them, in the order in which they started. */
function calls(places: ReturnType<typeof hostPlaces>) {
  const begun: string[] = [];
  const ends = new Map<string, { resolve: (answer: string) => void; reject: (error: Error) => void }>();
  const ask = (name: string) =>
    places.within(name.charAt(0), () => {
      begun.push(name);
      const end = Promise.withResolvers<string>();
      ends.set(name, end);
      return end.promise;
    });
  return {
    begun,
    ask,
    end: (name: string) => ends.get(name)?.resolve(name),
    fail: (name: string) => ends.get(name)?.reject(new Error(name)),
  };
}

it('limits concurrent calls in total and per host, and starts queued calls in order', async () => {
  const { begun, ask, end, fail } = calls(hostPlaces(limits));
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'a4'].map(ask);
  all[1]?.catch(() => {});
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1']);
  // a3 was first, but its host still has no free slot.
  end('b1');
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1', 'b2']);
  fail('a2');
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
  end('a3');
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3', 'a4']);
  for (const name of ['a1', 'b2', 'a4']) end(name);
  await expect(all[1]).rejects.toThrow('a2');
  expect(await Promise.all(all.filter((_call, index) => index !== 1))).toEqual(['a1', 'a3', 'b1', 'b2', 'a4']);
});

it('refuses a call immediately if too many are queued in total or per host', async () => {
  const { begun, ask, end } = calls(hostPlaces(limits));
  const waiting = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map(ask);
  expect(await ask('a5')).toBeNull();
  expect(await ask('d1')).toBeNull();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  for (const name of ['b1', 'a1', 'a2']) end(name);
  await expect.poll(() => begun.length).toBe(6);
  for (const name of ['a3', 'a4', 'c1']) end(name);
  expect(await Promise.all(waiting)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1']);
});

it('refuses a queued call after its timeout without starting it, and frees its place in the queue', async () => {
  const { begun, ask, end } = calls(hostPlaces({ ...limits, waitingOfHost: 1, waitMs: 20 }));
  const held = ['a1', 'a2'].map(ask);
  expect(await ask('a3')).toBeNull();
  expect(await ask('a4')).toBeNull();
  for (const name of ['a1', 'a2']) end(name);
  expect(await Promise.all(held)).toEqual(['a1', 'a2']);
  const later = ask('a5');
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'a5']);
  end('a5');
  expect(await later).toBe('a5');
});
