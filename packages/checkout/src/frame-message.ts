/** The messages of the payment page. */
import type { FailureCode, PaidOutcome } from './events.ts';

export type FrameMessage =
  | { type: 'ready' | 'close' }
  | { type: 'height'; height: number }
  | { type: 'paid'; outcome: PaidOutcome; paymentIntentId: string | null }
  | { type: 'failed'; code: FailureCode };

const outcomes: readonly string[] = ['paid', 'held', 'subscribed', 'trial'] satisfies PaidOutcome[];
const codes: readonly string[] = ['FAILED', 'CANCELLED', 'EXPIRED', 'REFUNDED', 'NOT_FOUND'] satisfies FailureCode[];
const HIGHEST = 20_000;

/** Returns undefined for everything else, such as messages of later versions. */
export function readMessage(data: unknown): FrameMessage | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const field = (name: string): unknown => Reflect.get(data, name);
  if (field('source') !== 'sluice') return undefined;
  const type = field('type');
  if (type === 'ready' || type === 'close') return { type };
  if (type === 'height') {
    const height = field('height');
    return typeof height === 'number' && height >= 0 && height <= HIGHEST ? { type, height } : undefined;
  }
  if (type === 'paid') {
    const outcome = field('outcome');
    const id = field('paymentIntentId');
    if (typeof outcome !== 'string' || !outcomes.includes(outcome)) return undefined;
    return { type, outcome: outcome as PaidOutcome, paymentIntentId: typeof id === 'string' ? id : null };
  }
  const code = field('code');
  if (type !== 'failed' || typeof code !== 'string' || !codes.includes(code)) return undefined;
  return { type, code: code as FailureCode };
}
