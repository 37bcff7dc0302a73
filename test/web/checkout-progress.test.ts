/** What is told of a payment on its way: how many confirmations of how many, and what comes after what. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { progressSteps } from '../../web/src/checkout/pay/progress-steps.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');

describe('the facts of a payment on its way', () => {
  let progressFacts: typeof import('../../web/src/checkout/pay/progress-facts.ts').progressFacts;
  // The server writes the chains into the page, where this module finds them when it is loaded.
  beforeAll(async () => {
    const textContent = JSON.stringify({ chains: [{ chainId: 1, name: 'Mainnet', escrow: '0x', tokens: [] }] });
    vi.stubGlobal('document', { getElementById: () => ({ textContent }) });
    ({ progressFacts } = await import('../../web/src/checkout/pay/progress-facts.ts'));
    vi.unstubAllGlobals();
  });

  type View = Parameters<typeof progressFacts>[0]['view'];
  type Told = NonNullable<View['payment']>;
  const factsOf = (payment: Partial<Told>, attempt: View['attempt'] = null) => {
    const given: string[] = [];
    const abandon = (quoteId: string) => void given.push(quoteId);
    const told = { authorization: null, requiredConfirmations: null, captureMode: 'AUTOMATIC', ...payment } as const;
    const facts = progressFacts({
      view: { attempt, payment: told },
      payment: { prepared: undefined, abandon },
      now: NOW,
    });
    return { ...facts, given };
  };
  const authorization = (confirmations: number | null): Told['authorization'] => ({
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
    // More than are asked for is never told.
    [40, 12, { count: 12, of: 12 }],
    [null, 12, undefined],
    [3, null, undefined],
  ])('%j confirmations of %j are %j', (confirmations, requiredConfirmations, told) => {
    const facts = factsOf({ requiredConfirmations, authorization: authorization(confirmations) });
    expect(facts.confirmations).toEqual(told);
    expect(facts.chain?.name).toBe('Mainnet');
  });

  it('has no confirmations before anybody saw it', () => {
    expect(factsOf({ requiredConfirmations: 12, authorization: null }).confirmations).toBeUndefined();
  });

  it('does not wait for the merchant to take what is only held', () => {
    expect(factsOf({ captureMode: 'MANUAL' }).isHeld).toBe(true);
    expect(factsOf({}).isHeld).toBe(false);
  });

  it('may be given up after two minutes in which nobody saw what the payer sent by hand', () => {
    const sent = (seconds: number, method: 'DIRECT' | 'PERMIT' = 'DIRECT') => ({
      quoteId: 'q',
      method,
      chainId: 1,
      madeAt: new Date(NOW - seconds * 1000).toISOString(),
    });
    const long = factsOf({}, sent(121));
    long.again?.();
    expect(long.given).toEqual(['q']);
    expect(factsOf({}, sent(119)).again).toBeUndefined();
    expect(factsOf({}, sent(121, 'PERMIT')).again).toBeUndefined();
    expect(factsOf({ authorization: authorization(0) }, sent(121)).again).toBeUndefined();
  });
});

describe('the steps of a payment on its way', () => {
  const told = (facts: Partial<Parameters<typeof progressSteps>[0]>) =>
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
  ])('%j: %s', (facts, steps) => {
    expect(told(facts)).toBe(steps);
  });
});
