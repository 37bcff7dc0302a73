/** When two clicks in the dashboard are one call to the API, by the idempotency key of each call. */
import { describe, expect, it } from 'vitest';
import { type FailedCalls, sendOnce } from '../../web/src/dashboard/session/send-once.ts';

/** A page: what it sent, by key, and how each call ends. */
function makePage(failed: FailedCalls = new Map()) {
  const underWay = new Map<string, Promise<string>>();
  const sent: string[] = [];
  const ends: { answer: (text: string) => void; fail: (fault: Error) => void }[] = [];
  const press = (variables: object, document = 'MakeThing') =>
    sendOnce({ document: { toString: () => document }, variables, failed, underWay }, (key) => {
      sent.push(key);
      return new Promise<string>((answer, fail) => ends.push({ answer, fail }));
    });
  const end = (index: number) => {
    const found = ends[index];
    if (!found) throw new Error(`Nothing was sent as number ${index}.`);
    return found;
  };
  return { press, sent, end };
}

describe('a click', () => {
  it('that is repeated before the response is the same call, even with a new variables object', async () => {
    const { press, sent, end } = makePage();
    const first = press({ name: 'Tea' });
    const second = press({ name: 'Tea' });
    expect(sent).toHaveLength(1);
    end(0).answer('made');
    expect(await Promise.all([first, second])).toEqual(['made', 'made']);
  });

  it('with other variables is another call', () => {
    const { press, sent } = makePage();
    press({ name: 'Tea' });
    press({ name: 'Coffee' });
    expect(new Set(sent).size).toBe(2);
  });

  it('after a failure reuses the key, because the call may have succeeded', async () => {
    const { press, sent, end } = makePage();
    const first = press({ name: 'Tea' });
    end(0).fail(new Error('no answer'));
    await expect(first).rejects.toThrow('no answer');
    const again = press({ name: 'Tea' });
    end(1).answer('made');
    await again;
    expect(sent[1]).toBe(sent[0]);
  });

  it('after a failure reuses the key from a reopened dialog', async () => {
    const failed: FailedCalls = new Map();
    const dialogue = makePage(failed);
    const first = dialogue.press({ name: 'Tea' });
    dialogue.end(0).fail(new Error('no answer'));
    await expect(first).rejects.toThrow();
    const reopened = makePage(failed);
    reopened.press({ name: 'Tea' });
    expect(reopened.sent).toEqual(dialogue.sent);
  });

  it('after a success is another call, so that a second redelivery is not replayed', async () => {
    const { press, sent, end } = makePage();
    const first = press({ deliveryId: '1' });
    end(0).answer('queued');
    await first;
    press({ deliveryId: '1' });
    expect(new Set(sent).size).toBe(2);
  });

  it.each([
    ['the same subscription', { id: '1' }, { id: '1' }],
    ['the same chain', { chainId: 1 }, { chainId: 1 }],
    ['a wallet of the same customer', { customerId: '1', input: {} }, { customerId: '1', walletId: '2' }],
  ])(
    'is another call after another success for %s, so that a second pause takes effect',
    async (_about, one, other) => {
      const failed: FailedCalls = new Map();
      const pause = makePage(failed);
      const resume = makePage(failed);
      const first = pause.press(one, 'Pause');
      pause.end(0).fail(new Error('no answer'));
      await expect(first).rejects.toThrow();
      const second = resume.press(other, 'Resume');
      resume.end(0).answer('active');
      await second;
      pause.press(one, 'Pause');
      expect(pause.sent[1]).not.toBe(pause.sent[0]);
    },
  );

  it.each([
    ['another payment', { id: '2' }, 'Refund'],
    ['something of the same app', { appId: 'a', id: '2' }, 'Ping'],
    ['nothing that has a name yet', { input: {} }, 'MakeThing'],
  ])(
    'reuses the key despite a success for %s, so that a refund with a lost response is made once',
    async (_about, other, document) => {
      const { press, sent, end } = makePage();
      const refund = { appId: 'a', id: '1', amount: '5' };
      const first = press(refund, 'Refund');
      end(0).fail(new Error('no answer'));
      await expect(first).rejects.toThrow();
      const second = press(other, document);
      end(1).answer('done');
      await second;
      press(refund, 'Refund');
      expect(sent[2]).toBe(sent[0]);
    },
  );

  it('without an object is another call after a success of the same mutation', async () => {
    const { press, sent, end } = makePage();
    const first = press({ name: 'Tea' });
    end(0).fail(new Error('no answer'));
    await expect(first).rejects.toThrow();
    const second = press({ name: 'Coffee' });
    end(1).answer('made');
    await second;
    press({ name: 'Tea' });
    expect(sent[2]).not.toBe(sent[0]);
  });

  it('with the same variables is another call for another mutation', () => {
    const { press, sent } = makePage();
    press({ id: '1' }, 'Pause');
    press({ id: '1' }, 'Resume');
    expect(new Set(sent).size).toBe(2);
  });

  it('that fails after another one succeeded keeps its key', async () => {
    const { press, sent, end } = makePage();
    const slow = press({ name: 'Tea' });
    const quick = press({ name: 'Coffee' });
    end(1).answer('made');
    await quick;
    end(0).fail(new Error('no answer'));
    await expect(slow).rejects.toThrow();
    press({ name: 'Tea' });
    expect(sent[2]).toBe(sent[0]);
  });
});
