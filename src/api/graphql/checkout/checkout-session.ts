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
    SUBSCRIPTION: { value: 'SUBSCRIPTION', description: 'The consent of a subscription; `purpose` says which.' },
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
    HEADLESS: { value: 'HEADLESS', description: 'A client of the merchant, with the client secret.' },
  } as const,
});

export const CheckoutSessionStatusEnum = builder.enumType('CheckoutSessionStatus', {
  description: 'Status of a checkout session.',
  values: {
    OPEN: { value: 'OPEN', description: 'It can be paid.' },
    COMPLETE: { value: 'COMPLETE', description: 'It is paid.' },
    EXPIRED: { value: 'EXPIRED', description: 'It expired, or the merchant ended it.' },
  } as const,
});

const CheckoutErrorRef = builder.objectRef<CheckoutLastError>('CheckoutError').implement({
  description: 'Why the last payment attempt failed.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description: 'RELAY_FAILED: the relayed payment was refused by the chain; prepare again.',
    }),
    message: t.exposeString('message', { description: 'Description for people.' }),
  }),
});

builder.prismaObject('CheckoutItem', {
  description: 'A line of a session.',
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
    amount: t.expose('amount', { type: 'Decimal', description: 'Of one unit, in `currency`.' }),
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
    quantity: t.exposeInt('quantity', { description: 'Quantity, at least 1.' }),
    taxAmount: t.expose('taxAmount', { type: 'Decimal', description: 'Tax of the whole line.' }),
    discountAmount: t.expose('discountAmount', {
      type: 'Decimal',
      description: 'Discount of the coupon on the whole line, before an exclusive tax or including an inclusive one.',
    }),
    productPlanId: t.expose('productPlanId', { type: 'UUID', nullable: true, description: 'The plan it is of.' }),
    productPlanPriceId: t.expose('productPlanPriceId', {
      type: 'UUID',
      nullable: true,
      description: 'The price it has.',
    }),
  }),
});

export const CheckoutSessionRef = builder.prismaObject('CheckoutSession', {
  description: "One payer's visit, from the price to the payment.",
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    appId: t.expose('appId', { type: 'UUID', description: 'The owning app.' }),
    mode: t.expose('mode', { type: CheckoutModeEnum, description: 'A payment, or the consent of a subscription.' }),
    purpose: t.field({
      type: CheckoutPurposeEnum,
      description: 'What the payer does in it.',
      select: { mode: true, renewsConsent: true },
      resolve: (session) => purposeOf(session),
    }),
    uiMode: t.expose('uiMode', { type: CheckoutUiModeEnum, description: 'Who shows it to the payer.' }),
    status: t.expose('status', { type: CheckoutSessionStatusEnum, description: 'Current status.' }),
    url: t.field({
      type: 'URL',
      description: "The payer's page. When the session is made, the client secret is its fragment; later it has none.",
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
    amount: t.expose('amount', { type: 'Decimal', description: 'What is paid: subtotal and taxAmount.' }),
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
    subtotal: t.expose('subtotal', { type: 'Decimal', description: 'Net of tax.' }),
    taxAmount: t.expose('taxAmount', { type: 'Decimal', description: 'Tax of all lines.' }),
    discountAmount: t.expose('discountAmount', {
      type: 'Decimal',
      description: 'Discount of the coupon on all lines, already deducted from amount, subtotal and taxAmount.',
    }),
    couponId: t.expose('couponId', { type: 'UUID', nullable: true, description: 'The coupon that it redeems.' }),
    couponName: t.string({
      extensions: { rest: false },
      nullable: true,
      description: 'The name of that coupon.',
      select: { coupon: { select: { name: true } } },
      resolve: ({ coupon }) => coupon?.name ?? null,
    }),
    coupon: t.field({
      type: OfferedCouponRef,
      nullable: true,
      description: 'The discount of that coupon, and the total without it.',
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
      description: 'The payment; null for a subscription that starts with a trial.',
    }),
    customerAccountId: t.expose('customerAccountId', { type: 'UUID', nullable: true, description: 'The payer.' }),
    sourceType: t.expose('sourceType', {
      type: PaymentSourceTypeEnum,
      nullable: true,
      description: 'What it was made from; null for an intent that the API made.',
    }),
    sourceId: t.expose('sourceId', { type: 'UUID', nullable: true, description: 'The id of that.' }),
    allowedChains: t.expose('allowedChains', { type: 'ChainSelection', description: 'Chains it may be paid on.' }),
    allowedTokens: t.expose('allowedTokens', { type: 'TokenSelection', description: 'Tokens it may be paid with.' }),
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
      description: 'Why the last payment attempt failed.',
      resolve: (session) => checkoutLastError(session),
    }),
    items: t.relation('items', {
      extensions: { rest: true },
      query: { orderBy: { position: 'asc' } },
      description: 'The lines; none for an existing intent.',
    }),
    paymentIntent: t.relation('paymentIntent', {
      nullable: true,
      description: "The payment. Null for a trial. The payer does not see fields that are only the merchant's.",
    }),
    metadata: t.field({
      type: 'JSONObject',
      description: "The merchant's own data; empty for the payer.",
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
