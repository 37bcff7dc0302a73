/** The meaning of a status: good, waiting, bad, or neutral. It is never shown by color alone. */
import type { IconName } from '../icon-drawings.ts';

export type Tone = 'good' | 'wait' | 'bad' | 'quiet';

export const toneIcons: Record<Tone, IconName> = { good: 'check', wait: 'clock', bad: 'alert', quiet: 'minus' };

const tones: Record<Tone, readonly string[]> = {
  good: [
    'ACTIVE',
    'AUTHORIZED',
    'CAPTURED',
    'COMPLETE',
    'CONFIRMED',
    'DELIVERED',
    'OK',
    'PAID',
    'SETTLED',
    'RESOLVED_MERCHANT',
  ],
  wait: ['CREATED', 'OPEN', 'PENDING', 'REFUND_PENDING', 'SIGNATURE_REQUIRED', 'PAUSED'],
  bad: ['FAILED', 'PAST_DUE', 'LOW_ALLOWANCE', 'LOW_BALANCE', 'PERMIT_EXPIRED', 'REORGED', 'REVOKED', 'UNCOLLECTIBLE'],
  quiet: ['CANCELLED', 'DRAFT', 'EXPIRED', 'INACTIVE', 'REFUNDED', 'VOID', 'RESOLVED_PAYER', 'RESOLVED_SPLIT'],
};

/** Statuses that have a text in `everywhere.status`. */
export const knownStatuses: readonly string[] = Object.values(tones).flat();

export function toneOf(status: string): Tone {
  const found = Object.entries(tones).find(([, statuses]) => statuses.includes(status));
  return found && isTone(found[0]) ? found[0] : 'quiet';
}

function isTone(text: string): text is Tone {
  return text in toneIcons;
}
