/** The progress of a payment: its confirmations and the order of its steps. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { progressSteps } from '../../../web/src/checkout/pay/progress-steps.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');

describe('the progress of a payment', () => {
  let progressFacts: typeof import('../../../web/src/checkout/pay/progress-facts.ts').progressFacts;
  // The server writes the chains into the page, where this module finds them when it is loaded.
  beforeAll(async () => {
    const textContent = JSON.stringify({ chains: [{ chainId: 1, name: 'Mainnet', escrow: '0x', tokens: [] }] });
    vi.stubGlobal('document', { getElementById: () => ({ textContent }) });
    ({ progressFacts } = await import('../../../web/src/checkout/pay/progress-facts.ts'));
    vi.unstubAllGlobals();
  });

  type View = Parameters<typeof progressFacts>[0]['view'];
  type PaymentView = NonNullable<View['payment']>;
  type Asked = Parameters<typeof progressFacts>[0];
  const looked = (result: NonNullable<Asked['look']>['result'], at = NOW, since = at) => ({ result, at, since });
  const factsOf = (
    payment: Partial<PaymentView>,
    attempt: View['attempt'] = null,
    more: Partial<Pick<Asked, 'look' | 'isOld'> & Pick<Asked['payment'], 'sent'>> = {},
  ) => {
    const given: string[] = [];
    const abandon = (quoteId: string, why: string) => void given.push(`${quoteId} ${why}`);
    const { sent, isOld = false } = more;
    const look = 'look' in more ? more.look : looked('NOT_THERE');
    const reported = {
      authorization: null,
      requiredConfirmations: null,
      captureMode: 'AUTOMATIC',
      ...payment,
    } as const;
    const facts = progressFacts({
      view: { attempt, payment: reported },
      payment: { sent, abandon },
      look,
      isOld,
      now: NOW,
    });
    return { ...facts, given };
  };
  const authorization = (confirmations: number | null): PaymentView['authorization'] => ({
    id: 'a',
    status: 'PENDING',
    chainId: 1,
    txHash: '0x01',
    confirmations,
    blockHash: '0x02',
  });

  it.each([
    [0, 12, { count: 0, of: 12 }],
    [3, 12, { count: 3, of: 12 }],
    [12, 12, { count: 12, of: 12 }],
    // The count never exceeds the required number.
    [40, 12, { count: 12, of: 12 }],
    [null, 12, undefined],
    [3, null, undefined],
  ])('shows %j confirmations for %j as %j', (confirmations, requiredConfirmations, expected) => {
    const facts = factsOf({ requiredConfirmations, authorization: authorization(confirmations) });
    expect(facts.confirmations).toEqual(expected);
    expect(facts.chain?.name).toBe('Mainnet');
  });

  it('has no confirmations before the transaction is detected', () => {
    expect(factsOf({ requiredConfirmations: 12, authorization: null }).confirmations).toBeUndefined();
  });

  it('does not wait for a manual capture', () => {
    expect(factsOf({ captureMode: 'MANUAL' }).isHeld).toBe(true);
    expect(factsOf({}).isHeld).toBe(false);
  });

  const ago = (seconds: number) => new Date(NOW - seconds * 1000);
  /** A response that many seconds ago, which can be paid for ten minutes. */
  const answered = (secondsAgo: number, method: 'DIRECT' | 'PERMIT' = 'DIRECT') => {
    const [madeAt, payBy] = [ago(secondsAgo).toISOString(), ago(secondsAgo - 600).toISOString()];
    return { quoteId: 'q', method, chainId: 1, madeAt, payBy };
  };

  it('shows nothing for two minutes, then the latest arrival, and offers to abandon it only after that', () => {
    expect(factsOf({}, answered(119))).toMatchObject({ lateUntil: undefined, again: undefined });
    expect(factsOf({}, answered(121))).toMatchObject({ lateUntil: ago(121 - 660), again: undefined });
    expect(factsOf({}, answered(660))).toMatchObject({ again: undefined });
    const lost = factsOf({}, answered(661));
    expect(lost.lateUntil).toBeUndefined();
    lost.again?.();
    expect(lost.given).toEqual(['q NOT_SEEN']);
  });

  it('cannot be abandoned if the gateway sends it, if it was detected, or if it cannot be looked up', () => {
    const silent = { lateUntil: undefined, again: undefined };
    expect(factsOf({}, answered(9_999, 'PERMIT'))).toMatchObject(silent);
    expect(factsOf({ authorization: authorization(0) }, answered(9_999))).toMatchObject(silent);
    expect(factsOf({}, answered(9_999), { look: looked('DONE') })).toMatchObject(silent);
    expect(factsOf({}, answered(9_999), { isOld: true })).toMatchObject(silent);
  });

  it.each<[string, Asked['look']]>([
    ['nobody could be asked', looked('UNKNOWN')],
    ['nobody has answered yet', undefined],
    ['somebody looked only while it could still come', looked('NOT_THERE', NOW - 9_999_000 + 660_000)],
  ])('cannot be abandoned while it may be in a block: %s', (_about, look) => {
    expect(factsOf({}, answered(9_999), { look })).toMatchObject({ isUncertain: true, again: undefined });
    expect(factsOf({}, answered(121), { look })).toMatchObject({ isUncertain: false, again: undefined });
    expect(factsOf({}, answered(9_999), { look: looked('NOT_THERE') }).isUncertain).toBe(false);
  });

  it('can be abandoned two minutes after it was replaced, because its replacement would have been detected', () => {
    const replaced = (seconds: number) => ({ look: looked('REPLACED', NOW, NOW - seconds * 1000) });
    expect(factsOf({}, answered(300), replaced(120))).toMatchObject({ lateUntil: ago(300 - 660), again: undefined });
    const given = factsOf({}, answered(300), replaced(121));
    expect(given).toMatchObject({ lateUntil: undefined, isUncertain: false });
    given.again?.();
    expect(given.given).toEqual(['q NOT_SEEN']);
    expect(factsOf({}, answered(9_999), replaced(0)).again).toBeDefined();
    expect(factsOf({ authorization: authorization(0) }, answered(300), replaced(121)).again).toBeUndefined();
    expect(factsOf({}, answered(300), { ...replaced(121), isOld: true }).again).toBeUndefined();
    expect(factsOf({}, answered(300, 'PERMIT'), replaced(121)).again).toBeUndefined();
  });

  it('is the same for a transaction that only this tab knows', () => {
    const sent = { quoteId: 'own', chainId: 1, txHash: '0x01', sentAt: NOW - 300_000, payBy: NOW - 61_000 };
    const lost = factsOf({}, null, { sent });
    expect(lost.chain?.name).toBe('Mainnet');
    lost.again?.();
    expect(lost.given).toEqual(['own NOT_SEEN']);
    expect(factsOf({}, null, { sent: { ...sent, payBy: NOW - 59_000 } }).again).toBeUndefined();
    expect(factsOf({}, null).again).toBeUndefined();
  });
});

describe('the progress steps of a payment', () => {
  const printSteps = (facts: Partial<Parameters<typeof progressSteps>[0]>) =>
    progressSteps({ stage: 'sent', confirmations: undefined, isInEscrow: true, isHeld: false, ...facts })
      .map(({ name, state }) => (state === 'current' ? `[${name}]` : state === 'done' ? `${name}!` : name))
      .join(' ');
  const confirmations = { count: 1, of: 3 };

  it.each<[Partial<Parameters<typeof progressSteps>[0]>, string]>([
    [{}, '[sent] seen authorized captured'],
    [{ stage: 'seen' }, 'sent! [seen] authorized captured'],
    [{ stage: 'seen', confirmations }, 'sent! [confirmed] authorized captured'],
    [{ stage: 'reorged', confirmations }, '[sent] confirmed authorized captured'],
    [{ stage: 'seen', confirmations, isHeld: true }, 'sent! [confirmed] authorized'],
    [{ stage: 'seen', confirmations, isInEscrow: false }, 'sent! [confirmed] custody captured'],
  ])('for %j are %s', (facts, steps) => {
    expect(printSteps(facts)).toBe(steps);
  });
});
