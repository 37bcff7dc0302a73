/**
 * The settings of an app, within the limits of the escrow contract. A change applies to payments that are created afterwards; terms that
 * are already signed remain as they are.
 */
import { z } from 'zod';
import { embedOriginsSchema } from './embed-origins.ts';

const DAY = 86_400;
const seconds = (least: number, most: number) =>
  z.int().min(least, `at least ${least} seconds`).max(most, `at most ${most} seconds`).optional();
const integerBetween = (least: number, most: number) =>
  z.int().min(least, `at least ${least}`).max(most, `at most ${most}`).optional();

/** A page of the merchant. The part before an @ is refused, because a payer would read it as the host. */
const pageUrl = z
  .url({ protocol: /^https?$/, error: 'an http(s) URL' })
  .max(2048, 'at most 2048 characters')
  .refine((text) => !hasUserInfo(text), 'without a user name or password')
  .nullish();

/** In a partial change, an absent field stays unchanged, and null clears one of these fields. */
export const clearableSettings: readonly string[] = [
  'logoUrl',
  'accentColor',
  'supportEmail',
  'supportUrl',
  'websiteUrl',
  'checkoutHeading',
  'checkoutMessage',
  'receiptMessage',
  'footerText',
];

/** Text of the merchant on payers' pages, in emails and on invoices. Surrounding white space is removed; empty text clears the field. */
const wording = (most: number) =>
  z
    .string()
    .trim()
    .max(most, `at most ${most} characters`)
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'plain text without control characters or line breaks')
    .transform((text) => text || null)
    .nullish();

const usdLimit = z
  .string()
  .regex(/^(0|[1-9]\d{0,8})(\.\d{1,2})?$/, 'an amount in USD of at most 9 digits and 2 decimals, such as "10.00"')
  .optional();

export const appSettingsSchema = z.object({
  name: z.string().min(1, 'at least 1 character').max(255, 'at most 255 characters').optional(),
  timelockDuration: seconds(0, 180 * DAY),
  disputeStartDuration: seconds(0, 180 * DAY),
  disputeTimeout: seconds(7 * DAY, 90 * DAY),
  disputeTimeoutPayerBps: integerBetween(0, 10_000),
  captureDeadline: seconds(60, 89 * DAY),
  platformFeeBps: integerBetween(0, 1_000),
  intentExpiry: seconds(60, 30 * DAY),
  captureMode: z.enum(['AUTOMATIC', 'MANUAL']).optional(),
  transferQuoteDuration: seconds(600, DAY),
  subscriptionCapMultiplier: z
    .string()
    .refine((text) => /^[1-9]\d{0,2}(\.\d{1,3})?$/.test(text) && Number(text) <= 100, 'from 1 to 100')
    .optional(),
  subscriptionGraceDays: integerBetween(0, 365),
  subscriptionCaptureRetries: integerBetween(1, 10),
  renewalRetry: z
    .object({
      steps: z
        .array(z.int().min(1, 'at least 1 hour').max(1440, 'at most 1440 hours, which are 60 days'))
        .min(1, 'at least 1 step')
        .max(10, 'at most 10 steps')
        .refine(
          (steps) => steps.every((hours, index) => index === 0 || hours > (steps[index - 1] ?? 0)),
          'ascending, each once',
        )
        .nullish(),
      graceDays: integerBetween(0, 365),
      atEnd: z.enum(['CANCEL', 'PAUSE', 'LEAVE_PAST_DUE']).optional(),
    })
    .optional(),
  usageGraceSeconds: seconds(0, 3 * DAY),
  logoUrl: z
    .url({ protocol: /^https?$/, error: 'an http(s) URL' })
    .max(2048, 'at most 2048 characters')
    .nullish(),
  accentColor: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'a color in the form #rrggbb')
    .transform((color) => color.toLowerCase())
    .nullish(),
  supportEmail: z.email('an email address').max(254, 'at most 254 characters').nullish(),
  supportUrl: pageUrl,
  websiteUrl: pageUrl,
  checkoutHeading: wording(80),
  checkoutMessage: wording(300),
  receiptMessage: wording(300),
  footerText: wording(500),
  embedOrigins: embedOriginsSchema.optional(),
  x402: z
    .object({
      settlesForOthers: z.boolean().optional(),
      paymentLimit: usdLimit,
      dailyLimit: usdLimit,
      feeBps: integerBetween(0, 1_000),
    })
    .optional(),
});
export type AppSettings = z.infer<typeof appSettingsSchema>;

function hasUserInfo(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.username !== '' || url.password !== '');
}

/** The columns of groups of settings. Retry `steps` of null restore the default schedule. */
export function settingsColumns({ renewalRetry, x402, ...columns }: AppSettings) {
  const { steps, graceDays, atEnd } = renewalRetry ?? {};
  const { settlesForOthers, paymentLimit, dailyLimit, feeBps } = x402 ?? {};
  return {
    ...columns,
    ...(steps === undefined ? {} : { renewalRetrySteps: steps ?? [] }),
    ...(graceDays === undefined ? {} : { subscriptionGraceDays: graceDays }),
    ...(atEnd === undefined ? {} : { renewalRetryEnd: atEnd }),
    ...(settlesForOthers === undefined ? {} : { x402SettlesForOthers: settlesForOthers }),
    ...(paymentLimit === undefined ? {} : { x402PaymentLimit: paymentLimit }),
    ...(dailyLimit === undefined ? {} : { x402DailyLimit: dailyLimit }),
    ...(feeBps === undefined ? {} : { x402FeeBps: feeBps }),
  };
}
