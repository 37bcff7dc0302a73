/** The CheckoutSession type. */

import { imageAddress } from '../../../auth/tokens/image-address.ts';
import {
  type CheckoutLastError,
  type CheckoutPurpose,
  checkoutLastError,
  checkoutPurposes,
  purposeOf,
  sessionUrl,
} from '../../../checkout/checkout-session.ts';
import { printFiat } from '../../../prices/money.ts';
import { undiscountedTotal } from '../../../subscriptions/consent/promised-price.ts';
import { isMerchant, PaymentSourceTypeEnum } from '../payments/payment-intent.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { OfferedCouponRef } from './offered-coupon.ts';

export const CheckoutModeEnum = builder.enumType('CheckoutMode', {
  description: 'What a session is for.',
  values: {
    PAYMENT: { value: 'PAYMENT', description: 'One payment.' },
    SUBSCRIPTION: {
      value: 'SUBSCRIPTION',
      description: 'The consent of a subscription. `purpose` is either SUBSCRIPTION_START or CONSENT_RENEWAL.',
    },
  } as const,
});

const purposeWords: Record<CheckoutPurpose, string> = {
  PAYMENT: 'The payer makes one payment.',
  SUBSCRIPTION_START: 'The payer starts a subscription.',
  CONSENT_RENEWAL: 'The payer replaces the consent of a subscription that is running.',
};

const CheckoutPurposeEnum = builder.enumType('CheckoutPurpose', {
  description: 'What the payer does in a session.',
  values: Object.fromEntries(
    checkoutPurposes.map((purpose) => [purpose, { value: purpose, description: purposeWords[purpose] }]),
  ) as { [Purpose in CheckoutPurpose]: { value: Purpose; description: string } },
});

export const CheckoutUiModeEnum = builder.enumType('CheckoutUiMode', {
  description: 'Who shows the payment to the payer.',
  values: {
    HOSTED: { value: 'HOSTED', description: "The gateway's own page, at `url`." },
    HEADLESS: { value: 'HEADLESS', description: 'A client of the merchant, which uses the client secret.' },
  } as const,
});

export const CheckoutSessionStatusEnum = builder.enumType('CheckoutSessionStatus', {
  description: 'Status of a checkout session.',
  values: {
    OPEN: { value: 'OPEN', description: 'The session can be paid.' },
    COMPLETE: { value: 'COMPLETE', description: 'The payment was made, or the consent of a trial was recorded.' },
    EXPIRED: { value: 'EXPIRED', description: 'The session expired, or the merchant ended it.' },
  } as const,
});

const CheckoutErrorRef = builder.objectRef<CheckoutLastError>('CheckoutError').implement({
  description: 'Why the latest payment attempt failed.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description:
        'Machine-readable code. `RELAY_FAILED` means that the chain refused the relayed payment; prepare the checkout again.',
    }),
    message: t.exposeString('message', { description: 'Human-readable description.' }),
  }),
});

builder.prismaObject('CheckoutItem', {
  description: 'A line item of a checkout session.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    name: t.exposeString('name', { description: '1 to 255 characters.' }),
    description: t.exposeString('description', { nullable: true, description: 'At most 2000 characters.' }),
    proxiedImageUrl: t.string({
      extensions: { rest: false },
      nullable: true,
      description: "The plan's image, as a path of this installation that begins with /images/.",
      select: { productPlan: { select: { imageUrl: true } } },
      resolve: ({ productPlan }, _args, { world }) => imageAddress(world.secretKeys, productPlan?.imageUrl ?? null),
    }),
    amount: t.expose('amount', { type: 'Decimal', description: 'Price of one unit, in `currency`.' }),
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
    quantity: t.exposeInt('quantity', { description: 'Quantity, at least 1.' }),
    taxAmount: t.expose('taxAmount', { type: 'Decimal', description: 'Tax on the whole line.' }),
    discountAmount: t.expose('discountAmount', {
      type: 'Decimal',
      description: 'Discount of the coupon on the whole line. It excludes exclusive tax and includes inclusive tax.',
    }),
    productPlanId: t.expose('productPlanId', {
      type: 'UUID',
      nullable: true,
      description: 'ID of the product plan. Null if the line has none.',
    }),
    productPlanPriceId: t.expose('productPlanPriceId', {
      type: 'UUID',
      nullable: true,
      description: "ID of the plan's price. Null if the line has none.",
    }),
  }),
});

export const CheckoutSessionRef = builder.prismaObject('CheckoutSession', {
  description: "A payer's checkout, in which a payment is made or a subscription starts.",
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    appId: t.expose('appId', { type: 'UUID', description: 'The owning app.' }),
    mode: t.expose('mode', {
      type: CheckoutModeEnum,
      description: 'Whether the session is for a payment or for the consent of a subscription.',
    }),
    purpose: t.field({
      type: CheckoutPurposeEnum,
      description: 'What the payer does in the session.',
      select: { mode: true, renewsConsent: true },
      resolve: (session) => purposeOf(session),
    }),
    uiMode: t.expose('uiMode', { type: CheckoutUiModeEnum, description: 'Who presents the session to the payer.' }),
    status: t.expose('status', { type: CheckoutSessionStatusEnum, description: 'Current status.' }),
    url: t.field({
      type: 'URL',
      description:
        "URL of the payer's page. In the response that creates the session, its fragment contains the client secret; later responses contain no fragment.",
      resolve: (session, _args, { world }) =>
        sessionUrl(world.config.publicUrl, session.id, newSecretOf(session) ?? undefined),
    }),
    clientSecret: t.string({
      extensions: { rest: false },
      nullable: true,
      description:
        'Secret that authorizes requests for this session only, in the header x-client-secret. Returned when the session is created, and null afterwards.',
      resolve: (session) => newSecretOf(session),
    }),
    amount: t.expose('amount', {
      type: 'Decimal',
      description: 'Amount to pay: the sum of `subtotal` and `taxAmount`.',
    }),
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
    subtotal: t.expose('subtotal', { type: 'Decimal', description: 'Amount without tax.' }),
    taxAmount: t.expose('taxAmount', { type: 'Decimal', description: 'Tax on all lines.' }),
    discountAmount: t.expose('discountAmount', {
      type: 'Decimal',
      description: 'Discount of the coupon on all lines, already deducted from amount, subtotal and taxAmount.',
    }),
    couponId: t.expose('couponId', {
      type: 'UUID',
      nullable: true,
      description: 'The coupon that the session redeems. Null if it redeems none.',
    }),
    couponName: t.string({
      extensions: { rest: false },
      nullable: true,
      description: 'The name of the coupon. Null without a coupon.',
      select: { coupon: { select: { name: true } } },
      resolve: ({ coupon }) => coupon?.name ?? null,
    }),
    coupon: t.field({
      type: OfferedCouponRef,
      nullable: true,
      description: 'The discount of the coupon, and the total without it. Null without a coupon.',
      select: { mode: true, coupon: true, taxRate: true, items: { orderBy: { position: 'asc' } } },
      resolve: ({ mode, coupon, taxRate, items }) => {
        const isSubscription = mode === 'SUBSCRIPTION';
        const laterAmount = isSubscription ? printFiat(undiscountedTotal({ items }, taxRate)) : null;
        return coupon && { ...coupon, laterAmount };
      },
    }),
    paymentIntentId: t.expose('paymentIntentId', {
      type: 'UUID',
      nullable: true,
      description: 'The payment intent. Null for a subscription that starts with a trial.',
    }),
    customerAccountId: t.expose('customerAccountId', {
      type: 'UUID',
      nullable: true,
      description: 'The customer who pays. Null if the payer is not a known customer.',
    }),
    sourceType: t.expose('sourceType', {
      type: PaymentSourceTypeEnum,
      nullable: true,
      description:
        'Kind of object from which the session was created. Null for a payment intent that was created by the API.',
    }),
    sourceId: t.expose('sourceId', {
      type: 'UUID',
      nullable: true,
      description: 'ID of the object from which the session was created.',
    }),
    allowedChains: t.expose('allowedChains', {
      type: 'ChainSelection',
      description: 'Chains on which it can be paid.',
    }),
    allowedTokens: t.expose('allowedTokens', {
      type: 'TokenSelection',
      description: 'Tokens with which it can be paid.',
    }),
    successUrl: t.exposeString('successUrl', {
      nullable: true,
      description: 'URL to which the payer is sent after paying.',
    }),
    cancelUrl: t.exposeString('cancelUrl', {
      nullable: true,
      description: 'URL to which the payer is sent after cancelling.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Time after which no payment can be prepared.' }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which it became COMPLETE.',
    }),
    lastError: t.field({
      extensions: { rest: true },
      type: CheckoutErrorRef,
      nullable: true,
      description: 'Why the latest payment attempt failed.',
      resolve: (session) => checkoutLastError(session),
    }),
    items: t.relation('items', {
      extensions: { rest: true },
      query: { orderBy: { position: 'asc' } },
      description: 'Line items. Empty for a session of an existing payment intent.',
    }),
    paymentIntent: t.relation('paymentIntent', {
      nullable: true,
      description:
        'The payment intent. Null for a trial. Fields that concern only the merchant are hidden from payers.',
    }),
    metadata: t.field({
      type: 'JSONObject',
      description: "The merchant's own data. Payers receive an empty object.",
      resolve: (session, _args, context) => (isMerchant(context) ? session.metadata : {}),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});

/**
 * Returns the secret of a row that has just been created, which is not a column. A field with a selection would read the row again, without
 * it.
 */
export function newSecretOf(session: object): string | null {
  return 'clientSecret' in session && typeof session.clientSecret === 'string' ? session.clientSecret : null;
}
