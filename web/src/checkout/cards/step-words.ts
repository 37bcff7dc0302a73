/** A sentence for each request to the wallet (what is allowed, how much, how often, and until when), and the button that makes it. */
import type { TFunction } from 'i18next';
import type { useFormats } from '../../ui/formats/use-formats.ts';
import type { CheckedStep } from '../pay/check-steps.ts';

type Words = {
  t: TFunction;
  formats: ReturnType<typeof useFormats>;
  token: { decimals: number; symbol: string };
  /** The interval of a subscription, such as "every month". */
  often: string | null;
  isTrial: boolean;
  /** The consent replaces another one. */
  isRenewal: boolean;
  /** Milliseconds, by the gateway's clock. */
  now: number;
  /** The effect of a coupon on the price of a subscription; null without one. */
  couponTerms: string | null;
};

/** Amounts are shown with all of their digits. */
export function stepWords(step: CheckedStep, words: Words): string {
  const { t, formats, token, often, couponTerms } = words;
  const printed = (units: bigint) => `${formats.token(units, token.decimals).exact} ${token.symbol}`;
  const clock = (seconds: number) => formats.clock(new Date(seconds * 1000));
  switch (step.kind) {
    case 'reset':
      return t('checkout.sign.reset', { symbol: token.symbol });
    case 'approve':
      if (step.kept > 0n) {
        return t('checkout.sign.approveMore', { amount: printed(step.amount), kept: printed(step.kept) });
      }
      return often
        ? t('checkout.sign.approveMany', { amount: printed(step.amount) })
        : t('checkout.sign.approve', { amount: printed(step.amount) });
    case 'pay':
      return t('checkout.sign.pay', { amount: printed(step.amount), until: clock(step.until) });
    case 'permit':
      return often
        ? t('checkout.sign.approveMany', { amount: printed(step.amount) })
        : t('checkout.sign.permit', { amount: printed(step.amount), until: clock(step.until) });
    case 'receive':
      return t('checkout.sign.receive', { amount: printed(step.amount), until: clock(step.until) });
    case 'consent':
      return t('checkout.sign.consent', { amount: printed(step.amount), until: clock(step.until) });
    case 'recurring': {
      const from = formats.day(new Date(step.start * 1000));
      const values = { often, cap: printed(step.cap), amount: printed(step.amount), from };
      const sentence = t(`checkout.sign.${recurringWords(step.start * 1000, words)}`, values);
      return couponTerms ? t('checkout.sign.withCoupon', { sentence, terms: couponTerms }) : sentence;
    }
    default:
      return step satisfies never;
  }
}

/**
 * What the button does next, as a name under `checkout.do`, and the base units that an approval allows, which may be more than the payment:
 * a subscription's covers several periods.
 */
export function stepAction(step: CheckedStep | undefined): {
  name: 'approve' | 'reset' | 'pay' | 'sign' | 'finish';
  approved: bigint | null;
} {
  if (!step) return { name: 'finish', approved: null };
  if (step.kind === 'approve') return { name: 'approve', approved: step.amount };
  return { name: step.kind === 'reset' || step.kind === 'pay' ? step.kind : 'sign', approved: null };
}

/** A consent that replaces another one pays the invoice of the period that has begun already. */
function recurringWords(start: number, { isTrial, isRenewal, now }: Words) {
  if (isRenewal && start <= now) return 'recurringRenewed';
  return isTrial ? 'recurringLater' : 'recurring';
}
