/** The one schema, of every resource's part. Importing it opens nothing. */
import './server/scalars.ts';
import './apps/app.ts';
import './apps/viewer.ts';
import './events/events.ts';
import './payments/payment-intent.ts';
import './payments/create-payment-intent.ts';
import './payments/payment-intents.ts';
import './payments/payment-intent-updates.ts';
import './catalog/tax-rate.ts';
import './catalog/product-plan.ts';
import './catalog/product-plans.ts';
import './catalog/product-plan-mutations.ts';
import './customers/customer.ts';
import './customers/customers.ts';
import './customers/customer-mutations.ts';
import './links/payment-link.ts';
import './links/payment-link-mutations.ts';
import './invoices/invoice.ts';
import './invoices/invoice-mutations.ts';
import './checkout/checkout-session.ts';
import './checkout/checkout-sessions.ts';
import './checkout/checkout-options.ts';
import './checkout/create-checkout-session.ts';
import './checkout/pay-checkout.ts';
import './checkout/checkout.ts';
import { builder } from './server/builder.ts';

export const schema = builder.toSchema();
