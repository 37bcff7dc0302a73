/** The query linkOffer: what a payer's page shows of a link before a session is created from it. */
import { Decimal } from 'decimal.js';
import type { Coupon } from '../../../../prisma/client.ts';
import { imageAddress } from '../../../auth/tokens/image-address.ts';
import { type TaxedTotal, taxLine, taxTotal } from '../../../catalog/tax.ts';
import { taxRuleOf } from '../../../catalog/tax-rate.ts';
import { isLinkPayable } from '../../../checkout/links/is-link-payable.ts';
import { linkTotal } from '../../../checkout/links/link-coupon.ts';
import { availableQuantity } from '../../../checkout/links/payment-link.ts';
import { findLink } from '../../../checkout/links/start-link-checkout.ts';
import { pausedChains } from '../../../checkout/store.ts';
import { printFiat } from '../../../prices/money.ts';
import { defaultPrice } from '../../../subscriptions/checkout/default-price.ts';
import { beginsUnpaid } from '../../../subscriptions/checkout/subscription-session.ts';
import { PayeeContactRef } from '../apps/payee-contact.ts';
import { BillingIntervalEnum } from '../catalog/product-plan.ts';
import { CheckoutModeEnum } from '../checkout/checkout-session.ts';
import { OfferedCouponRef } from '../checkout/offered-coupon.ts';
import { builder } from '../server/builder.ts';
import type { World } from '../server/world.ts';

type Link = Awaited<ReturnType<typeof findLink>>;
type Price = NonNullable<Link['productPlanPrice']>;
type Offer = {
  link: Link;
  isSubscription: boolean;
  merchantName: string;
  isPayable: boolean;
  price: Price | null;
  /** The number of units in the total. */
  quantity: number;
  /** The price of one unit, as set by the merchant, and the total; null if the payer chooses the amount. */
  unitAmount: Decimal | null;
  discount: Decimal;
  total: TaxedTotal | null;
  /** The link's coupon if it applies, and the total without it. */
  coupon: Coupon | null;
  fullTotal: TaxedTotal | null;
};

const LinkOfferRef = builder.objectRef<Offer>('LinkOffer').implement({
  description: 'What a payment link sells and requires, for anyone who has its URL.',
  fields: (t) => ({
    name: t.string({ description: 'Name of the product.', resolve: ({ link }) => link.productPlan?.name ?? link.name }),
    description: t.string({
      nullable: true,
      description: 'At most 2000 characters.',
      resolve: ({ link }) => link.productPlan?.description ?? link.description,
    }),
    appName: t.string({ description: 'Name of the payee.', resolve: ({ link }) => link.app.name }),
    appLogoUrl: t.string({
      nullable: true,
      description: 'Logo of the app, as a path of this installation that begins with /images/.',
      resolve: ({ link }, _args, { world }) => imageAddress(world.secretKeys, link.app.logoUrl),
    }),
    accentColor: t.string({
      nullable: true,
      description:
        'Accent color of the page, as set for the app, in the form #rrggbb. Null if the default color is used.',
      resolve: ({ link }) => link.app.accentColor,
    }),
    heading: t.string({
      nullable: true,
      description: 'Heading of the page, as set for the app.',
      resolve: ({ link }) => link.app.checkoutHeading,
    }),
    message: t.string({
      nullable: true,
      description: 'Text under the heading, as set for the app.',
      resolve: ({ link }) => link.app.checkoutMessage,
    }),
    proxiedImageUrl: t.string({
      nullable: true,
      description: "The plan's image, as a path of this installation that begins with /images/.",
      resolve: ({ link }, _args, { world }) => imageAddress(world.secretKeys, link.productPlan?.imageUrl ?? null),
    }),
    contact: t.field({
      type: PayeeContactRef,
      description: 'How the payer can contact the payee.',
      resolve: ({ link }) => link.app,
    }),
    merchantName: t.exposeString('merchantName', { description: 'Name of the merchant that owns the app.' }),
    isTest: t.boolean({
      description: 'Whether the payment is made on a test network.',
      resolve: ({ link }) => link.app.mode === 'TEST',
    }),
    isActive: t.boolean({ description: 'Whether it accepts payments.', resolve: ({ link }) => link.isActive }),
    isPayable: t.exposeBoolean('isPayable', {
      description:
        'Whether the link can be paid at present. False if the app has no payout address on any of the chains that the link allows, or if all of them are paused.',
    }),
    mode: t.field({
      type: CheckoutModeEnum,
      description: 'One payment, or the start of a subscription.',
      resolve: ({ isSubscription }) => (isSubscription ? 'SUBSCRIPTION' : 'PAYMENT'),
    }),
    currency: t.string({
      nullable: true,
      description: 'USD or EUR. Null if the payer chooses.',
      resolve: ({ link, price }) => price?.currency ?? link.currency ?? (link.amount === null ? null : 'USD'),
    }),
    amount: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'The total for the quantity: subtotal plus taxAmount. Null if the payer chooses the amount.',
      resolve: ({ total }) => total && printFiat(total.total),
    }),
    subtotal: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'Amount without tax.',
      resolve: ({ total }) => total && printFiat(total.subtotal),
    }),
    taxAmount: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'Tax included in `amount`.',
      resolve: ({ total }) => total && printFiat(total.taxAmount),
    }),
    quantity: t.int({
      description:
        'The number of units that amount covers: the requested quantity, adjusted to the limits of the link.',
      resolve: ({ quantity }) => quantity,
    }),
    unitAmount: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'The price of one unit, as set by the merchant. Null if the payer chooses the amount.',
      resolve: ({ unitAmount }) => unitAmount && printFiat(unitAmount),
    }),
    minimumQuantity: t.int({
      description: 'The minimum number of units in one checkout.',
      resolve: ({ link }) => link.minimumQuantity,
    }),
    maximumQuantity: t.int({
      description: 'The maximum number of units in one checkout, regardless of the stock.',
      resolve: ({ link }) => link.maximumQuantity,
    }),
    availableQuantity: t.int({
      nullable: true,
      description:
        'The number of units left, at most maximumQuantity and never negative. Null if the stock is unlimited.',
      resolve: ({ link }) => {
        const available = availableQuantity(link);
        return available === null ? null : Math.max(0, Math.min(available, link.maximumQuantity));
      },
    }),
    discountAmount: t.field({
      type: 'Decimal',
      description:
        "Discount of the link's coupon on the lines; 0.00 without a coupon, or if the payer chooses the amount.",
      resolve: ({ discount }) => printFiat(discount),
    }),
    couponName: t.string({
      nullable: true,
      description: 'Name of the coupon. Null without a coupon.',
      resolve: ({ link, discount }) => (discount.isZero() ? null : (link.coupon?.name ?? null)),
    }),
    coupon: t.field({
      type: OfferedCouponRef,
      nullable: true,
      description: "The link's coupon, while it applies. Null otherwise, and if the payer chooses the amount.",
      resolve: ({ coupon, fullTotal, isSubscription }) =>
        coupon && { ...coupon, laterAmount: isSubscription && fullTotal ? printFiat(fullTotal.total) : null },
    }),
    allowCouponCodes: t.boolean({
      description: 'Whether startLinkCheckout accepts a coupon code.',
      resolve: ({ link }) => link.allowCouponCodes,
    }),
    billingInterval: t.field({
      type: BillingIntervalEnum,
      nullable: true,
      description: 'Unit of the billing period of a subscription.',
      resolve: ({ isSubscription, price }) => (isSubscription ? (price?.billingInterval ?? null) : null),
    }),
    billingIntervalCount: t.int({
      nullable: true,
      description: 'Number of those units in a billing period.',
      resolve: ({ isSubscription, price }) => (isSubscription ? (price?.billingIntervalCount ?? null) : null),
    }),
    trialPeriodDays: t.int({
      nullable: true,
      description: 'Number of days before the first charge. Null if there is no trial.',
      resolve: ({ isSubscription, price }) => (isSubscription ? (price?.trialPeriodDays ?? null) : null),
    }),
    requireBillingDetails: t.boolean({
      description: 'Whether startLinkCheckout requires all billing details except the state.',
      resolve: ({ link }) => link.requireBillingDetails,
    }),
    requireEmail: t.boolean({
      description: 'Whether startLinkCheckout requires the email.',
      resolve: ({ link, isSubscription }) => link.requireBillingDetails || isSubscription,
    }),
    cancelUrl: t.string({
      nullable: true,
      description: 'URL to which a payer who does not pay is sent.',
      resolve: ({ link }) => link.cancelUrl,
    }),
  }),
});

builder.queryField('linkOffer', (t) =>
  t.field({
    type: LinkOfferRef,
    description:
      'What a payment link sells and requires. NOT_FOUND for an unknown slug. For an inactive link, `isActive` is false.',
    authScopes: { public: true },
    complexity: 100,
    args: {
      slug: t.arg.string({ required: true, description: "The link's slug." }),
      quantity: t.arg.int({ description: 'The number of units to price. Defaults to the minimum of the link.' }),
    },
    resolve: (_root, args, { world }) => readOffer(world, args),
  }),
);

async function readOffer(
  world: Pick<World, 'database' | 'clock' | 'registry' | 'config'>,
  { slug, quantity: asked }: { slug: string; quantity?: number | null | undefined },
): Promise<Offer> {
  const { database, clock } = world;
  const link = await findLink(database, { slug });
  const payoutAddresses = await database.payoutAddress.findMany({ where: { appId: link.appId } });
  const paused = await pausedChains(database);
  const isPayable = isLinkPayable(world, { ...link, app: { ...link.app, payoutAddresses } }, { paused });
  const isSubscription = link.productPlan?.planType === 'SUBSCRIPTION';
  const { name } = await database.merchant.findUniqueOrThrow({ where: { id: link.app.merchantId } });
  const quantity = Math.min(Math.max(asked ?? 1, link.minimumQuantity), link.maximumQuantity);
  const offer = { link, isSubscription, merchantName: name, isPayable, quantity };
  const price =
    isSubscription && link.productPlan && !link.productPlanPrice
      ? await defaultPrice(database, link.productPlan.id)
      : link.productPlanPrice;
  const amount = price?.amount ?? link.amount;
  if (amount === null)
    return { ...offer, price, unitAmount: null, discount: new Decimal(0), total: null, coupon: null, fullTotal: null };
  // The same tax as when the checkout starts: a subscription by the rate of its plan, anything else by the first rate of the link.
  const planRate = link.productPlan?.taxRate?.isActive ? link.productPlan.taxRate : null;
  const tax = taxRuleOf(isSubscription ? planRate : (link.taxRate ?? planRate));
  const unitAmount = new Decimal(amount.toFixed(2));
  const currency = price?.currency ?? link.currency ?? 'USD';
  const line = { amount: unitAmount, quantity, tax };
  const mayBeFree = isSubscription && price !== null && beginsUnpaid(price);
  const { discount, total, coupon } = linkTotal(link, { line, currency, now: clock.now(), mayBeFree });
  return { ...offer, price, unitAmount, discount, total, coupon, fullTotal: taxTotal([taxLine(line)]) };
}
