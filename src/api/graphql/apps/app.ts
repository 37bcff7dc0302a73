/** The App type and its queries. */

import type { App } from '../../../../prisma/client.ts';
import { imageAddress } from '../../../auth/tokens/image-address.ts';
import { type AccentColours, type Mode, readableAccent, surfaces } from '../../../catalog/accent.ts';
import { notFound } from '../../../errors.ts';
import { defaultSteps, type RetryRules, retryRulesOf } from '../../../subscriptions/renewal/dunning.ts';
import { CaptureModeEnum } from '../payments/payment-intent.ts';
import { builder, NodeRef } from '../server/builder.ts';

export const AppModeEnum = builder.enumType('AppMode', {
  description: 'Whether an app moves real money.',
  values: {
    TEST: { value: 'TEST', description: 'Payments on test networks and local chains, without real money.' },
    LIVE: { value: 'LIVE', description: 'Payments on main networks, with real money.' },
  } as const,
});

export const ChainFamilyEnum = builder.enumType('ChainFamily', {
  description: 'A kind of chain.',
  values: {
    EVM: { value: 'EVM', description: 'Ethereum and compatible chains.' },
    SOLANA: { value: 'SOLANA', description: 'Solana.' },
    SUI: { value: 'SUI', description: 'Sui.' },
  } as const,
});

export const PayoutAddressRef = builder.prismaObject('PayoutAddress', {
  description: 'The address to which an app is paid on the chains of one family.',
  fields: (t) => ({
    family: t.expose('family', { type: ChainFamilyEnum, description: 'The kind of chain.' }),
    address: t.expose('address', { type: 'Address', description: 'The address.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

export const RenewalRetryEndEnum = builder.enumType('RenewalRetryEnd', {
  description: 'What happens to a PAST_DUE subscription when its grace period is over.',
  values: {
    CANCEL: { value: 'CANCEL', description: 'It becomes CANCELLED, and its invoice UNCOLLECTIBLE.' },
    PAUSE: {
      value: 'PAUSE',
      description: 'It becomes PAUSED, and its invoice UNCOLLECTIBLE. Resuming it starts a new period.',
    },
    LEAVE_PAST_DUE: {
      value: 'LEAVE_PAST_DUE',
      description: 'It stays PAST_DUE, and its invoice can be paid, until it is cancelled.',
    },
  } as const,
});

const RenewalRetryRef = builder.objectRef<RetryRules>('RenewalRetry').implement({
  description: 'When failed renewals are tried again, and what happens if all attempts fail.',
  fields: (t) => ({
    steps: t.intList({
      description: 'Hours from the due time to each further attempt. The first attempt is made at the due time.',
      resolve: ({ steps }) => [...(steps ?? defaultSteps)],
    }),
    isDefault: t.boolean({
      description:
        'Whether the default schedule applies. It adds an attempt every 48 hours for subscriptions whose maxCaptureRetries exceeds it.',
      resolve: ({ steps }) => steps === null,
    }),
    graceDays: t.exposeInt('graceDays', {
      description: 'Length of the grace period after PAST_DUE, in days; the same setting as subscriptionGraceDays.',
    }),
    atEnd: t.expose('atEnd', {
      type: RenewalRetryEndEnum,
      description: 'What happens to the subscription when the grace period is over.',
    }),
  }),
});

type X402Settings = Pick<App, 'x402SettlesForOthers' | 'x402PaymentLimit' | 'x402DailyLimit' | 'x402FeeBps'>;

const X402SettingsRef = builder.objectRef<X402Settings>('X402Settings').implement({
  description:
    'Whether the keys of an app settle x402 payments to other resource servers, whose requirements this installation did not issue.',
  fields: (t) => ({
    settlesForOthers: t.exposeBoolean('x402SettlesForOthers', {
      description:
        'Whether the keys of the app settle such payments. False by default. The installation pays the gas, so a payment must be worth at least `RELAY_MINIMUM_USD` of its chain.',
    }),
    paymentLimit: t.expose('x402PaymentLimit', {
      type: 'Decimal',
      description: 'Maximum value of one such payment, in USD.',
    }),
    dailyLimit: t.expose('x402DailyLimit', {
      type: 'Decimal',
      description: 'Maximum total value of such payments within 24 hours, in USD. Failed payments do not count.',
    }),
    feeBps: t.exposeInt('x402FeeBps', {
      description:
        'The fee that is recorded as billed for each such payment, in basis points. It is never deducted from the payment.',
    }),
  }),
});

type AccentShade = AccentColours & { mode: Mode; isAdjusted: boolean };

function shadesOf(accentColor: string | null): AccentShade[] {
  return (['light', 'dark'] as const).flatMap((mode) => {
    const colors = accentColor === null ? undefined : readableAccent(accentColor, surfaces[mode]);
    return colors ? [{ ...colors, mode, isAdjusted: colors.accent !== accentColor }] : [];
  });
}

const AccentShadeRef = builder.objectRef<AccentShade>('AccentShade').implement({
  description:
    'The shade of an accent color that is readable on one surface: text has a contrast of at least 4.5:1, and buttons of at least 3:1 (WCAG 2.2, level AA).',
  fields: (t) => ({
    mode: t.exposeString('mode', { description: 'The surface: `light` or `dark`.' }),
    fill: t.exposeString('accent', { description: 'The color of buttons, as #rrggbb.' }),
    textOnFill: t.exposeString('onAccent', { description: 'The color of text on buttons, as #rrggbb.' }),
    text: t.exposeString('accentInk', { description: 'The color of links and other text on the surface, as #rrggbb.' }),
    isAdjusted: t.exposeBoolean('isAdjusted', {
      description: 'Whether the fill differs from the accent color, because the accent color has too little contrast.',
    }),
  }),
});

export const AppRef = builder.prismaObject('App', {
  description: 'One integration of a merchant.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    merchantId: t.expose('merchantId', { type: 'UUID', description: 'The merchant that owns the app.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    mode: t.expose('mode', {
      type: AppModeEnum,
      description: 'Whether the app is in test or live mode. Cannot be changed.',
    }),
    timelockDuration: t.exposeInt('timelockDuration', {
      description: 'Seconds after capture during which the escrow holds the payment.',
    }),
    disputeStartDuration: t.exposeInt('disputeStartDuration', {
      description: 'Seconds after capture during which a dispute can be opened; at most the timelock.',
    }),
    disputeTimeout: t.exposeInt('disputeTimeout', {
      description: 'Seconds after which an open dispute can be resolved by timeout.',
    }),
    disputeTimeoutPayerBps: t.exposeInt('disputeTimeoutPayerBps', {
      extensions: { rest: false },
      description: "The payer's share if a dispute is resolved by timeout, in basis points.",
    }),
    captureDeadline: t.exposeInt('captureDeadline', {
      description: 'Seconds after authorization until an uncaptured payment can be returned to the payer.',
    }),
    platformFeeBps: t.exposeInt('platformFeeBps', { description: 'Platform fee, in basis points.' }),
    intentExpiry: t.exposeInt('intentExpiry', { description: 'Seconds until an unpaid intent expires.' }),
    transferQuoteDuration: t.exposeInt('transferQuoteDuration', {
      description: 'Seconds for which a quote for a plain transfer is valid.',
    }),
    captureMode: t.expose('captureMode', {
      type: CaptureModeEnum,
      description: 'Default capture mode of payment intents.',
    }),
    subscriptionGraceDays: t.exposeInt('subscriptionGraceDays', {
      extensions: { rest: false },
      description: 'Days from PAST_DUE to CANCELLED.',
    }),
    usageGraceSeconds: t.exposeInt('usageGraceSeconds', {
      extensions: { rest: false },
      description:
        'Seconds after the end of a period during which its usage is still accepted, at most half of the period. The renewal of a metered price is charged once they have passed.',
    }),
    subscriptionCaptureRetries: t.exposeInt('subscriptionCaptureRetries', {
      extensions: { rest: false },
      description: 'Number of failed captures after which a subscription becomes PAST_DUE.',
    }),
    renewalRetry: t.field({
      type: RenewalRetryRef,
      description: 'When failed renewals are tried again, and what happens if all attempts fail.',
      select: { renewalRetrySteps: true, renewalRetryEnd: true, subscriptionGraceDays: true },
      resolve: (app) => retryRulesOf(app),
    }),
    subscriptionCapMultiplier: t.string({
      extensions: { rest: false },
      description: 'Cap of a recurring consent as a multiple of its first quote, as a decimal string.',
      select: { subscriptionCapMultiplier: true },
      resolve: (app) => app.subscriptionCapMultiplier.toFixed(),
    }),
    logoUrl: t.exposeString('logoUrl', {
      extensions: { rest: false },
      nullable: true,
      description: 'Logo of the app: an http or https URL.',
    }),
    proxiedLogoUrl: t.string({
      extensions: { rest: false },
      nullable: true,
      description: 'Path from which pages of this installation load the logo. It begins with /images/.',
      select: { logoUrl: true },
      resolve: (app, _args, { world }) => imageAddress(world.secretKeys, app.logoUrl),
    }),
    accentColor: t.exposeString('accentColor', {
      extensions: { rest: false },
      nullable: true,
      description: "Accent color of payers' pages, emails and invoices, as #rrggbb. Null if the default color is used.",
    }),
    accentShades: t.field({
      type: [AccentShadeRef],
      description:
        'The shades of the accent color that are used on a light and on a dark surface. Empty without an accent color.',
      select: { accentColor: true },
      resolve: ({ accentColor }) => shadesOf(accentColor),
    }),
    logoPreview: t.string({
      nullable: true,
      description:
        'Path from which pages of this installation load an image, to preview a logo before it is saved. It begins with /images/.',
      authScopes: { write: true },
      args: { logoUrl: t.arg({ type: 'URL', required: true, description: 'An http(s) URL.' }) },
      resolve: (_app, { logoUrl }, { world }) => imageAddress(world.secretKeys, logoUrl),
    }),
    checkoutHeading: t.exposeString('checkoutHeading', {
      extensions: { rest: false },
      nullable: true,
      description: "Heading of payers' pages.",
    }),
    checkoutMessage: t.exposeString('checkoutMessage', {
      extensions: { rest: false },
      nullable: true,
      description: "Text under the heading of payers' pages.",
    }),
    receiptMessage: t.exposeString('receiptMessage', {
      extensions: { rest: false },
      nullable: true,
      description: 'Text on the page after a payment and in the receipt by email.',
    }),
    footerText: t.exposeString('footerText', {
      extensions: { rest: false },
      nullable: true,
      description: 'Text at the end of emails to payers and of invoices.',
    }),
    supportEmail: t.exposeString('supportEmail', {
      extensions: { rest: false },
      nullable: true,
      description: 'The email address at which payers reach the merchant. Null if none was set.',
    }),
    supportUrl: t.expose('supportUrl', {
      extensions: { rest: false },
      type: 'URL',
      nullable: true,
      description: 'The page for help and contact. Null if none was set.',
    }),
    websiteUrl: t.expose('websiteUrl', {
      extensions: { rest: false },
      type: 'URL',
      nullable: true,
      description: "The merchant's website. Null if none was set.",
    }),
    x402: t.field({
      type: X402SettingsRef,
      description: 'Settings for x402 payments to other resource servers.',
      select: { x402SettlesForOthers: true, x402PaymentLimit: true, x402DailyLimit: true, x402FeeBps: true },
      resolve: (app) => app,
    }),
    embedOrigins: t.exposeStringList('embedOrigins', {
      extensions: { rest: false },
      description:
        'Origins of the web pages that may embed the checkout of this app in a frame. Empty by default, which allows none.',
    }),
    payoutAddresses: t.relation('payoutAddresses', {
      description: 'The addresses to which the app is paid, one for each chain family.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

builder.queryField('app', (t) =>
  t.prismaField({
    type: 'App',
    description: "The app with the given ID. Without an ID, the caller's own app.",
    authScopes: { read: true },
    args: { id: t.arg.id({ description: 'Required if the credential covers several apps.' }) },
    resolve: async (query, _root, { id }, context) => {
      const ownId = context.principal.kind === 'apiKey' ? context.principal.appId : undefined;
      const app = await context.database.app.findFirst({
        ...query,
        where: { id: id ?? ownId },
        orderBy: { id: 'asc' },
      });
      if (!app) throw notFound('app');
      return app;
    },
  }),
);

builder.queryField('apps', (t) =>
  t.prismaField({
    type: ['App'],
    description: 'All apps of the caller, oldest first; at most 100.',
    authScopes: { read: true },
    resolve: (query, _root, _args, context) =>
      context.database.app.findMany({ ...query, orderBy: { id: 'asc' }, take: 100 }),
  }),
);
