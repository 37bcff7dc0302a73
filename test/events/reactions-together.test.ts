/** Events of one turn, grouped by type and request for the reactions. */
import { expect, it } from 'vitest';
import { type Reaction, type Reactions, reactTogether } from '../../src/events/react.ts';
import { tracedRequestId } from '../../src/platform/request-trace.ts';

const appId = '019a0000-0000-7000-8000-000000000001';
const event = (type: string, sequence: bigint, requestId: string | null = null) => ({
  id: `event-${sequence}`,
  appId,
  type,
  resourceId: `resource-${sequence}`,
  sequence,
  requestId,
});

function noting(received: string[]) {
  return (name: string): Reaction =>
    async (events) =>
      received.push(`${name} ${events.map(({ sequence }) => sequence).join()} ${tracedRequestId() ?? ''}`.trim());
}

it('passes each reaction all events of its type and no others', async () => {
  const received: string[] = [];
  const note = noting(received);
  const reactions: Reactions = new Map([
    ['payment_intent.captured', [note('first'), note('second')]],
    ['payment_intent.settled', [note('third')]],
  ]);
  await reactTogether(reactions, [
    event('payment_intent.captured', 1n),
    event('payment_intent.settled', 2n),
    event('customer.updated', 3n),
    event('payment_intent.captured', 4n),
  ]);
  expect(received).toEqual(['first 1,4', 'second 1,4', 'third 2']);
});

it('separates events of different requests and passes the id of each request', async () => {
  const received: string[] = [];
  const reactions: Reactions = new Map([['payment_intent.captured', [noting(received)('one')]]]);
  await reactTogether(reactions, [
    event('payment_intent.captured', 1n, 'req-a'),
    event('payment_intent.captured', 2n),
    event('payment_intent.captured', 3n, 'req-a'),
  ]);
  expect(received).toEqual(['one 1,3 req-a', 'one 2']);
});

it('throws the first failure', async () => {
  const failing: Reaction = async () => {
    throw new Error('It cannot be done.');
  };
  const reactions: Reactions = new Map([['payment_intent.captured', [failing]]]);
  await expect(reactTogether(reactions, [event('payment_intent.captured', 1n)])).rejects.toThrow('It cannot be done.');
});
