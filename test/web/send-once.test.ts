/** What makes two presses of the dashboard one call to the API, by the idempotency key that each call brings. */
import { describe, expect, it } from 'vitest';
import { type FailedKeys, sendOnce } from '../../web/src/dashboard/session/send-once.ts';

/** A page: what it sent, by key, and how each call ends. */
function makePage(failed: FailedKeys = new Map()) {
  const underWay = new Map<string, Promise<string>>();
  const sent: string[] = [];
  const ends: { answer: (text: string) => void; fail: (fault: Error) => void }[] = [];
  const press = (variables: unknown) =>
    sendOnce({ asked: JSON.stringify(variables), failed, underWay }, (key) => {
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

describe('a press', () => {
  it('that is pressed again before its answer is the same call, though its variables are made anew', async () => {
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

  it('after a failure brings the same key, for it may have been done all the same', async () => {
    const { press, sent, end } = makePage();
    const first = press({ name: 'Tea' });
    end(0).fail(new Error('no answer'));
    await expect(first).rejects.toThrow('no answer');
    const again = press({ name: 'Tea' });
    end(1).answer('made');
    await again;
    expect(sent[1]).toBe(sent[0]);
  });

  it('after a failure brings the same key from a dialogue that was opened again', async () => {
    const failed: FailedKeys = new Map();
    const dialogue = makePage(failed);
    const first = dialogue.press({ name: 'Tea' });
    dialogue.end(0).fail(new Error('no answer'));
    await expect(first).rejects.toThrow();
    const reopened = makePage(failed);
    reopened.press({ name: 'Tea' });
    expect(reopened.sent).toEqual(dialogue.sent);
  });

  it('after a success is another call: what is delivered again is not replayed', async () => {
    const { press, sent, end } = makePage();
    const first = press({ deliveryId: '1' });
    end(0).answer('queued');
    await first;
    press({ deliveryId: '1' });
    expect(new Set(sent).size).toBe(2);
  });

  it('is another call once something else succeeded: a pause that failed, a resume, and a pause again', async () => {
    const failed: FailedKeys = new Map();
    const pause = makePage(failed);
    const resume = makePage(failed);
    const first = pause.press({ do: 'pause' });
    pause.end(0).fail(new Error('no answer'));
    await expect(first).rejects.toThrow();
    const second = resume.press({ do: 'resume' });
    resume.end(0).answer('active');
    await second;
    pause.press({ do: 'pause' });
    expect(pause.sent[1]).not.toBe(pause.sent[0]);
  });

  it('that fails after something else succeeded keeps its key', async () => {
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
