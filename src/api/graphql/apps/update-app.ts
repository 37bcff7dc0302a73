/** The mutation updateApp. */
import { z } from 'zod';
import { appSettingsSchema, clearableSettings } from '../../../auth/app-settings.ts';
import { setPayoutAddress } from '../../../auth/set-payout-address.ts';
import { updateApp } from '../../../auth/update-app.ts';
import { readPayable } from '../../../chains/payable-address.ts';
import type { Registry } from '../../../chains/registry.ts';
import type { FieldFault } from '../../../errors.ts';
import { CaptureModeEnum } from '../payments/payment-intent.ts';
import { builder } from '../server/builder.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { appScopeOf } from '../server/scope-of.ts';
import { AppRef, ChainFamilyEnum, RenewalRetryEndEnum } from './app.ts';

const payoutSchema = z.object({ family: z.enum(['EVM', 'SOLANA', 'SUI']), address: z.string() });
const payoutsSchema = z.array(payoutSchema).max(3, 'at most one address per chain family');

/** The platform fee is set by a command of the operator, and not by the merchant. */
const settings = Object.entries(appSettingsSchema.omit({ platformFeeBps: true }).shape);
const rules = defineRules({
  schema: appSettingsSchema.omit({ platformFeeBps: true }).extend({ payoutAddresses: payoutsSchema.optional() }),
  also: (input, { world }) => [...nullFaults(input), ...payoutFaults(world.registry, input)],
});

const PayoutAddressInput = builder.inputType('PayoutAddressInput', {
  description: 'The address to which an app is paid on the chains of one family.',
  fields: (t) => ({
    family: t.field({ type: ChainFamilyEnum, required: true, description: 'The kind of chain.' }),
    address: t.field({
      type: 'Address',
      required: true,
      description:
        'Address of a wallet that you control. An address with an invalid checksum is refused, as is an address from which funds could not be moved, such as the zero address, a precompile, a program, the escrow contract, or a registered token or its mint.',
    }),
  }),
});

const RenewalRetryInput = builder.inputType('RenewalRetryInput', {
  description:
    'When failed renewals are tried again. An absent field is unchanged. A change applies to each subscription from its next attempt.',
  fields: (t) => ({
    steps: t.intList({
      description:
        'Hours from the due time to each further attempt: 1 to 10 of them, ascending, each from 1 to 1440. Null restores the default: 1, 6, 24 and 72.',
    }),
    graceDays: t.int({
      description:
        'Length of the grace period after PAST_DUE, 0 to 365 days; the same setting as subscriptionGraceDays.',
    }),
    atEnd: t.field({
      type: RenewalRetryEndEnum,
      description: 'What happens to the subscription when the grace period is over.',
    }),
  }),
});

const X402SettingsInput = builder.inputType('X402SettingsInput', {
  description:
    'Whether the keys of an app settle x402 payments to other resource servers. An absent field is unchanged.',
  fields: (t) => ({
    settlesForOthers: t.boolean({
      description: 'Whether the keys of the app settle such payments. The installation pays the gas.',
    }),
    paymentLimit: t.field({
      type: 'Decimal',
      description: 'Maximum value of one such payment, in USD, with at most 9 digits and 2 decimals.',
    }),
    dailyLimit: t.field({
      type: 'Decimal',
      description:
        'Maximum total value of such payments within 24 hours, in USD, with at most 9 digits and 2 decimals.',
    }),
    feeBps: t.int({
      description:
        'The fee that is recorded as billed for each such payment, 0 to 1000 basis points. It is never deducted from the payment.',
    }),
  }),
});

const UpdateAppInput = builder.inputType('UpdateAppInput', {
  description:
    'Changes to the settings of an app. An absent field is unchanged. Settings of payments apply to payments that are created afterwards.',
  extensions: carryRules(rules),
  fields: (t) => ({
    name: t.string({ description: '1 to 255 characters.' }),
    timelockDuration: t.int({
      description: 'Seconds after capture during which the escrow holds the payment, 0 to 15552000.',
    }),
    disputeStartDuration: t.int({
      description: 'Seconds after capture during which a dispute can be opened; at most the timelock.',
    }),
    disputeTimeout: t.int({
      description: 'Seconds after which an open dispute can be resolved by timeout, 604800 to 7776000.',
    }),
    disputeTimeoutPayerBps: t.int({
      description: "The payer's share if a dispute is resolved by timeout, 0 to 10000 basis points.",
    }),
    captureDeadline: t.int({
      description:
        'Seconds after authorization until an uncaptured payment can be returned to the payer, 60 to 7689600.',
    }),
    intentExpiry: t.int({ description: 'Seconds until an unpaid intent expires, 60 to 2592000.' }),
    captureMode: t.field({ type: CaptureModeEnum, description: 'Default capture mode of payment intents.' }),
    transferQuoteDuration: t.int({
      description: 'Seconds for which a quote for a plain transfer is valid, 600 to 86400.',
    }),
    subscriptionCapMultiplier: t.string({
      description: 'Cap of a recurring consent as a multiple of its first quote, "1" to "100".',
    }),
    subscriptionGraceDays: t.int({ description: 'Days from PAST_DUE to CANCELLED, 0 to 365.' }),
    usageGraceSeconds: t.int({
      description:
        'Seconds after the end of a period during which its usage is still accepted, 0 to 259200. The renewal of a metered price is charged once they have passed.',
    }),
    subscriptionCaptureRetries: t.int({
      description: 'Number of failed captures after which a subscription becomes PAST_DUE, 1 to 10.',
    }),
    renewalRetry: t.field({ type: RenewalRetryInput, description: 'When failed renewals are tried again.' }),
    logoUrl: t.field({
      type: 'URL',
      description:
        'An http or https URL of a PNG, JPEG, WebP, GIF or AVIF image of at most 2 MiB. Null removes the logo.',
    }),
    supportEmail: t.string({
      description:
        'The email address at which payers reach you, at most 254 characters. Receipts show it. Null removes it.',
    }),
    supportUrl: t.field({
      type: 'URL',
      description: 'Your page for help and contact. Receipts link to it. Null removes it.',
    }),
    websiteUrl: t.field({ type: 'URL', description: 'Your website. Receipts link to it. Null removes it.' }),
    accentColor: t.string({
      description:
        "The color of payers' pages, emails and invoices, as #rrggbb. Null for the default. Where it would not be readable, a shade of it is used: see App.accentShades.",
    }),
    checkoutHeading: t.string({
      description: "Heading of payers' pages, at most 80 characters on one line. Null removes it.",
    }),
    checkoutMessage: t.string({
      description: 'Text under that heading, at most 300 characters on one line. Null removes it.',
    }),
    receiptMessage: t.string({
      description:
        'Text on the page after a payment and in the receipt by email, at most 300 characters on one line. Null removes it.',
    }),
    footerText: t.string({
      description:
        'Text at the end of emails to payers and of invoices, such as a registered address, at most 500 characters on one line. Null removes it.',
    }),
    embedOrigins: t.stringList({
      description:
        'Origins of the web pages that may show the checkout in a frame, at most 20, such as `https://shop.example`. It replaces the list; an empty list allows none. Each is an exact https origin without a path or a wildcard. Apps in TEST mode may also list `http://localhost` with any port.',
    }),
    x402: t.field({ type: X402SettingsInput, description: 'Payments to other resource servers (x402).' }),
    payoutAddresses: t.field({
      type: [PayoutAddressInput],
      description:
        'Sets the payout addresses of the given chain families; others are unchanged. VALIDATION_ERROR names each address that cannot be paid, such as `payoutAddresses[0].address`, and the reason; nothing is changed in that case.',
    }),
  }),
});

builder.mutationField('updateApp', (t) =>
  t.field({
    type: AppRef,
    description: 'Changes the settings of an app.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ description: 'Required if the credential covers several apps.' }),
      input: t.arg({ type: UpdateAppInput, required: true, description: 'The changes.' }),
    },
    resolve: async (_root, { id, input }, context) => {
      const { payoutAddresses, ...fields } = checked(context, rules, input);
      const scope = await appScopeOf(context, { appId: id });
      const app = await updateApp(context.world, { scope, settings: fields });
      for (const payout of payoutAddresses ?? []) await setPayoutAddress(context.world, { scope, ...payout });
      return app;
    },
  }),
);

/** Checked before anything is written, so that an invalid address also leaves the other settings unchanged. */
function payoutFaults(registry: Registry, input: unknown): FieldFault[] {
  const given: { payoutAddresses?: unknown } = typeof input === 'object' && input !== null ? input : {};
  const payouts = payoutsSchema.safeParse(given.payoutAddresses).data ?? [];
  return payouts.flatMap(({ family, address }, index) => {
    const { fault } = readPayable(registry.chains(), { family, text: address });
    return fault === null ? [] : [{ param: `payoutAddresses[${index}].address`, message: fault }];
  });
}

/** Only settings that have no value by default can be cleared. */
function nullFaults(input: unknown): { param: string; message: string }[] {
  const given = new Map<string, unknown>(Object.entries(typeof input === 'object' && input !== null ? input : {}));
  return settings.flatMap(([name]) =>
    given.get(name) === null && !clearableSettings.includes(name)
      ? [{ param: name, message: 'cannot be cleared' }]
      : [],
  );
}
