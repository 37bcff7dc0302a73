/** The Subscription type. */
import { consentFromJson } from '../../../escrow/consent.ts';
import { forecastOf } from '../../../subscriptions/forecast/forecast-of.ts';
import { type RenewalForecast, renewalForecasts } from '../../../subscriptions/forecast/renewal-forecast.ts';
import { subscriptionStatuses } from '../../../subscriptions/subscription.ts';
import { AuthorizationMethodEnum } from '../payments/payment-intent.ts';
import { builder, NodeRef } from '../server/builder.ts';

const INVOICES_SHOWN = 10;

const statusWords: Record<(typeof subscriptionStatuses)[number], string> = {
  PENDING: 'Waiting for the first payment, or for the consent of a trial or of a first period that costs nothing.',
  ACTIVE: 'Charged once a period.',
  PAUSED: 'Not charged until it is resumed.',
  CANCELLED: 'Ended. Final.',
  PAST_DUE: 'Charges failed. When its grace period ends, `renewalRetry.atEnd` of the app applies.',
};

export const SubscriptionStatusEnum = builder.enumType('SubscriptionStatus', {
  description: 'Status of a subscription.',
  values: Object.fromEntries(
    subscriptionStatuses.map((status) => [status, { value: status, description: statusWords[status] }]),
  ) as { [Status in (typeof subscriptionStatuses)[number]]: { value: Status; description: string } },
});

const forecastWords: Record<RenewalForecast, string> = {
  OK: 'No obstacle is known.',
  LOW_BALANCE: 'The wallet holds less than the renewal will take.',
  LOW_ALLOWANCE: 'The wallet allows less than the renewal will take.',
  PERMIT_EXPIRED: 'The permit was never used on the chain, and has expired.',
  REVOKED: 'The payer has revoked the consent.',
};

const RenewalForecastEnum = builder.enumType('RenewalForecast', {
  description: 'Whether the next renewal can be paid, as far as the chain shows before it is due.',
  values: Object.fromEntries(
    renewalForecasts.map((forecast) => [forecast, { value: forecast, description: forecastWords[forecast] }]),
  ) as { [Forecast in RenewalForecast]: { value: Forecast; description: string } },
});

builder.prismaObject('SubscriptionConsent', {
  description: 'What the payer signed, once, for all renewals; the contract takes no charge beyond it.',
  fields: (t) => ({
    id: t.expose('consentId', {
      type: 'Hex',
      description: 'The EIP-712 struct hash of the consent, 32 bytes: its id on its chain.',
    }),
    capPerPeriod: t.expose('capPerPeriod', {
      type: 'BaseUnits',
      description: 'The most that one period may be charged, base units of the token.',
    }),
    chainId: t.exposeInt('chainId', { description: 'The chain on which the subscription is charged.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'In which token.' }),
    walletAddress: t.expose('walletAddress', {
      type: 'Address',
      description: 'The wallet that signed, with its checksum.',
    }),
    endsAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'Time after which the escrow contract accepts no charge. Null if the consent is valid until it is revoked.',
      select: { consent: true },
      resolve: ({ consent }) => {
        const { end } = consentFromJson(consent);
        return end === 0 ? null : new Date(end * 1000);
      },
    }),
    replacedConsentId: t.field({
      type: 'Hex',
      nullable: true,
      description: 'The consent that the payer replaced by this one; it is not charged any more. Null for the first.',
      select: {
        subscription: {
          select: {
            consents: {
              where: { replacedAt: { not: null } },
              orderBy: { replacedAt: 'desc' },
              take: 1,
              select: { consentId: true },
            },
          },
        },
      },
      resolve: ({ subscription }) => subscription.consents[0]?.consentId ?? null,
    }),
    acceptedAt: t.expose('acceptedAt', {
      type: 'DateTime',
      nullable: true,
      description: "When it became the subscription's.",
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time of the block in which the payer revoked it; null while it stands.',
    }),
    lastChargedPeriod: t.exposeInt('lastChargedPeriod', {
      nullable: true,
      description: 'The newest period that was charged on the chain, counted from 0. Null before the first charge.',
    }),
  }),
});

builder.prismaObject('RenewalOutlook', {
  description: "The latest known balance of the payer's wallet, and the expected amount of the next renewal.",
  fields: (t) => ({
    expectedAmount: t.expose('expectedAmount', {
      type: 'BaseUnits',
      nullable: true,
      description: 'Of the next renewal at the price of `readAt`, base units; null before the first reading.',
    }),
    balance: t.expose('balance', {
      type: 'BaseUnits',
      nullable: true,
      description: 'Of the wallet, base units; null before the first reading.',
    }),
    readAt: t.expose('readAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the wallet was read: 7, 3 and 1 days before a renewal.',
    }),
  }),
});

export const SubscriptionRef = builder.prismaObject('Subscription', {
  description: "A customer charged once a period for a plan's price.",
  interfaces: [NodeRef],
  fields: (t) => {
    const instant = (
      name:
        | 'permitDeadline'
        | 'currentPeriodStart'
        | 'currentPeriodEnd'
        | 'billingCycleAnchor'
        | 'trialStart'
        | 'trialEnd'
        | 'cancelAt'
        | 'cancelledAt'
        | 'pausedAt'
        | 'pastDueSince',
      description: string,
    ) => t.expose(name, { type: 'DateTime', nullable: true, description });
    return {
      id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
      appId: t.expose('appId', { type: 'UUID', description: 'The owning app.' }),
      customerAccountId: t.expose('customerAccountId', { type: 'UUID', description: 'The customer.' }),
      productPlanId: t.expose('productPlanId', { type: 'UUID', description: 'The plan.' }),
      productPlanPriceId: t.expose('productPlanPriceId', { type: 'UUID', description: 'The price.' }),
      status: t.expose('status', { type: SubscriptionStatusEnum, description: 'Current status.' }),
      customerWalletId: t.expose('customerWalletId', {
        type: 'UUID',
        nullable: true,
        description: 'The wallet that signed the consent.',
      }),
      authorizationMethod: t.expose('authorizationMethod', {
        type: AuthorizationMethodEnum,
        nullable: true,
        description: 'How the allowance was given.',
      }),
      authorizationChainId: t.exposeInt('authorizationChainId', {
        nullable: true,
        description: 'The chain on which the subscription is charged.',
      }),
      authorizationTokenKey: t.exposeString('authorizationTokenKey', {
        nullable: true,
        description: 'In which token.',
      }),
      permitSignature: t.exposeString('permitSignature', { nullable: true, description: 'The EIP-2612 permit.' }),
      permitDeadline: instant('permitDeadline', 'Until when the permit could land.'),
      permitNonce: t.exposeString('permitNonce', { nullable: true, description: "The permit's nonce." }),
      approvedAllowance: t.expose('approvedAllowance', {
        type: 'BaseUnits',
        nullable: true,
        description: 'The live allowance of the escrow, base units.',
      }),
      currentPeriodStart: instant('currentPeriodStart', 'Start of the period that is paid.'),
      currentPeriodEnd: instant('currentPeriodEnd', 'Its end: the next charge is due.'),
      billingCycleAnchor: instant('billingCycleAnchor', 'Periods are counted from it, in UTC.'),
      trialStart: instant('trialStart', 'Start of the trial.'),
      trialEnd: instant('trialEnd', 'Its end: the first charge is due.'),
      cancelAt: instant('cancelAt', 'When it will end.'),
      cancelledAt: instant('cancelledAt', 'When it ended.'),
      cancelAtPeriodEnd: t.exposeBoolean('cancelAtPeriodEnd', { description: 'Whether it ends with its period.' }),
      pausedAt: instant('pausedAt', 'Since when it is paused.'),
      pastDueSince: instant('pastDueSince', 'Since when it is past due.'),
      captureRetryCount: t.exposeInt('captureRetryCount', { description: 'Failed charges of this cycle.' }),
      maxCaptureRetries: t.exposeInt('maxCaptureRetries', { description: 'Failures that make it PAST_DUE.' }),
      pendingJobId: t.exposeString('pendingJobId', {
        nullable: true,
        description: 'The waiting job that looks at it.',
      }),
      nextPlanPriceId: t.expose('nextPlanPriceId', {
        extensions: { rest: false },
        type: 'UUID',
        nullable: true,
        description: 'The price that takes the place of `productPlanPriceId` when the running period ends.',
      }),
      couponId: t.expose('couponId', {
        type: 'UUID',
        nullable: true,
        description: 'The coupon that the subscription redeemed last. Null if it never had one, or after its removal.',
      }),
      couponPeriodsLeft: t.exposeInt('couponPeriodsLeft', {
        nullable: true,
        description:
          'The number of further invoices that the coupon reduces; 0 once it has ended. Null without a coupon, and for a coupon with the duration FOREVER.',
      }),
      renewalForecast: t.field({
        extensions: { rest: false },
        type: RenewalForecastEnum,
        nullable: true,
        description: 'Whether the next renewal will be paid; null before there is a consent to charge by.',
        select: { approvedAllowance: true, consent: true, outlook: true },
        resolve: (subscription, _args, context) =>
          forecastOf({ ...subscription, subscription, now: context.world.clock.now() }),
      }),
      renewalOutlook: t.relation('outlook', {
        nullable: true,
        description: 'The figures behind `renewalForecast`; null before the wallet was first read.',
      }),
      allowedChains: t.expose('allowedChains', { type: 'ChainSelection', description: 'EVM chain ids.' }),
      allowedTokens: t.expose('allowedTokens', { type: 'TokenSelection', description: 'Token keys.' }),
      metadata: t.expose('metadata', { type: 'JSONObject', description: "The merchant's own data." }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
      updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
      app: t.relation('app', { description: 'The owning app.' }),
      customerAccount: t.relation('customerAccount', { description: 'The customer.' }),
      consent: t.relation('consent', {
        nullable: true,
        description: 'The recurring consent that it is charged by; null before there is one.',
      }),
      customerWallet: t.relation('customerWallet', { nullable: true, description: 'The wallet that signed.' }),
      productPlan: t.relation('productPlan', { description: 'The plan.' }),
      productPlanPrice: t.relation('productPlanPrice', { description: 'The price.' }),
      nextPlanPrice: t.relation('nextPlanPrice', {
        nullable: true,
        description: 'The price that waits for the end of the running period; null where none does.',
      }),
      invoices: t.relation('invoices', {
        description: 'The newest 10.',
        complexity: { field: 1, multiplier: INVOICES_SHOWN },
        query: { orderBy: { id: 'desc' }, take: INVOICES_SHOWN },
      }),
    };
  },
});
