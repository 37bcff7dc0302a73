/** The effects of a change of plan as an ordered list of sentences. */
import type { SubscriptionPlanChangeQuery } from '../../../../generated/web/documents.ts';

export type PlanChange = SubscriptionPlanChangeQuery['subscription']['planChange'];

export type ChangeSentence =
  | { key: 'same' }
  | { key: 'now' }
  | { key: 'prorated' }
  | { key: 'atPeriodEnd' | 'nextCharge'; at: string }
  | { key: 'credit'; amount: string };

export function planChangeWords(change: PlanChange): ChangeSentence[] {
  const { effectiveAt, isProrated, nextChargeAt, carriedCredit } = change;
  if (!effectiveAt) return [{ key: 'same' }];
  const isLater = nextChargeAt != null && effectiveAt === nextChargeAt;
  return [
    isLater ? { key: 'atPeriodEnd', at: effectiveAt } : { key: 'now' },
    ...(isProrated ? [{ key: 'prorated' } as const] : []),
    ...(nextChargeAt ? [{ key: 'nextCharge', at: nextChargeAt } as const] : []),
    ...(carriedCredit ? [{ key: 'credit', amount: carriedCredit } as const] : []),
  ];
}
