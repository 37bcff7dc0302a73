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
  ACTIVE: 'Charged once per period.',
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
  LOW_BALANCE: "The wallet's balance is below the expected charge.",
  LOW_ALLOWANCE: "The wallet's allowance is below the expected charge.",
  PERMIT_EXPIRED: 'The permit was never used on the chain, and has expired.',
  REVOKED: 'The payer has revoked the consent.',
};

const RenewalForecastEnum = builder.enumType('RenewalForecast', {
  description: 'Whether the next renewal is likely to be paid, according to the chain before it is due.',
  values: Object.fromEntries(
    renewalForecasts.map((forecast) => [forecast, { value: forecast, description: forecastWords[forecast] }]),
  ) as { [Forecast in RenewalForecast]: { value: Forecast; description: string } },
});

builder.prismaObject('SubscriptionConsent', {
  description:
    'The recurring consent that the payer signed once for all renewals. The escrow contract refuses every charge that exceeds it.',
  fields: (t) => ({
    id: t.expose('consentId', {
      type: 'Hex',
      description: 'EIP-712 struct hash of the consent, 32 bytes, which identifies it on its chain.',
    }),
    capPerPeriod: t.expose('capPerPeriod', {
      type: 'BaseUnits',
      description: 'Maximum charge for a period, in base units of the token.',
    }),
    chainId: t.exposeInt('chainId', { description: 'The chain on which the subscription is charged.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'Key of the token.' }),
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
      description:
        'The consent that this one replaced, and under which nothing is charged any more. Null for the first consent.',
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
      description: 'Time at which the gateway accepted the consent.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Block time at which the payer revoked it. Null if it was not revoked.',
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
      description:
        'Expected amount of the next renewal at the price of `readAt`, in base units. Null before the wallet is first read.',
    }),
    balance: t.expose('balance', {
      type: 'BaseUnits',
      nullable: true,
      description: 'Balance of the wallet, in base units. Null before it is first read.',
    }),
    readAt: t.expose('readAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the wallet was last read, which happens 7, 3 and 1 days before a renewal.',
    }),
  }),
});

export const SubscriptionRef = builder.prismaObject('Subscription', {
  description: 'A subscription of a customer, who is charged the price of a plan in each period.',
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
        description: 'How the allowance was granted.',
      }),
      authorizationChainId: t.exposeInt('authorizationChainId', {
        nullable: true,
        description: 'The chain on which the subscription is charged.',
      }),
      authorizationTokenKey: t.exposeString('authorizationTokenKey', {
        nullable: true,
        description: 'Key of the token.',
      }),
      permitSignature: t.exposeString('permitSignature', { nullable: true, description: 'The EIP-2612 permit.' }),
      permitDeadline: instant('permitDeadline', 'Deadline of the permit.'),
      permitNonce: t.exposeString('permitNonce', { nullable: true, description: "The permit's nonce." }),
      approvedAllowance: t.expose('approvedAllowance', {
        type: 'BaseUnits',
        nullable: true,
        description: 'Current allowance of the escrow, in base units.',
      }),
      currentPeriodStart: instant('currentPeriodStart', 'Start of the current period, which is paid.'),
      currentPeriodEnd: instant('currentPeriodEnd', 'End of the current period, when the next charge is due.'),
      billingCycleAnchor: instant('billingCycleAnchor', 'Time from which billing periods are counted, in UTC.'),
      trialStart: instant('trialStart', 'Start of the trial.'),
      trialEnd: instant('trialEnd', 'End of the trial, when the first charge is due.'),
      cancelAt: instant('cancelAt', 'Time at which the subscription will end. Null if no end is scheduled.'),
      cancelledAt: instant('cancelledAt', 'Time at which the subscription ended. Null if it has not ended.'),
      cancelAtPeriodEnd: t.exposeBoolean('cancelAtPeriodEnd', {
        description: 'Whether it ends at the end of the current period.',
      }),
      pausedAt: instant('pausedAt', 'Time since which it has been PAUSED. Null if it is not.'),
      pastDueSince: instant('pastDueSince', 'Time since which it has been PAST_DUE. Null if it is not.'),
      captureRetryCount: t.exposeInt('captureRetryCount', {
        description: 'Number of failed charges in the current period.',
      }),
      maxCaptureRetries: t.exposeInt('maxCaptureRetries', {
        description: 'Number of failed charges after which it becomes PAST_DUE.',
      }),
      pendingJobId: t.exposeString('pendingJobId', {
        nullable: true,
        description: 'Internal ID of the scheduled job.',
      }),
      nextPlanPriceId: t.expose('nextPlanPriceId', {
        extensions: { rest: false },
        type: 'UUID',
        nullable: true,
        description:
          'ID of the price that replaces `productPlanPriceId` at the end of the current period. Null if no change is scheduled.',
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
        description: 'Whether the next renewal is likely to be paid. Null before the payer has signed a consent.',
        select: { approvedAllowance: true, consent: true, outlook: true },
        resolve: (subscription, _args, context) =>
          forecastOf({ ...subscription, subscription, now: context.world.clock.now() }),
      }),
      renewalOutlook: t.relation('outlook', {
        nullable: true,
        description: 'The amounts on which `renewalForecast` is based. Null before the wallet is first read.',
      }),
      allowedChains: t.expose('allowedChains', { type: 'ChainSelection', description: 'Numeric IDs of EVM chains.' }),
      allowedTokens: t.expose('allowedTokens', { type: 'TokenSelection', description: 'Token keys.' }),
      metadata: t.expose('metadata', { type: 'JSONObject', description: "The merchant's own data." }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
      updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
      app: t.relation('app', { description: 'The owning app.' }),
      customerAccount: t.relation('customerAccount', { description: 'The customer.' }),
      consent: t.relation('consent', {
        nullable: true,
        description: 'The recurring consent under which it is charged. Null before the payer has signed one.',
      }),
      customerWallet: t.relation('customerWallet', {
        nullable: true,
        description: 'The wallet that signed the consent.',
      }),
      productPlan: t.relation('productPlan', { description: 'The plan.' }),
      productPlanPrice: t.relation('productPlanPrice', { description: 'The price.' }),
      nextPlanPrice: t.relation('nextPlanPrice', {
        nullable: true,
        description: 'The price that takes effect at the end of the current period. Null if no change is scheduled.',
      }),
      invoices: t.relation('invoices', {
        description: 'The 10 newest invoices.',
        complexity: { field: 1, multiplier: INVOICES_SHOWN },
        query: { orderBy: { id: 'desc' }, take: INVOICES_SHOWN },
      }),
    };
  },
});
