/** Connections of the objects of a customer, in addition to the lists of the same rows. */
import { InvoiceConnection } from '../invoices/invoice.ts';
import { PaymentIntentConnection } from '../payments/payment-intent.ts';
import { byId } from '../server/lists/keyset.ts';
import { connectionOf, relatedConnection } from '../server/lists/related-connection.ts';
import { SubscriptionRef } from '../subscriptions/subscription.ts';
import { CustomerAccountRef, CustomerWalletRef } from './customer.ts';

/** A key that may only write customers reads what it wrote, but no other resources, and neither their cursors nor their number. */
const authScopes = { read: true };

relatedConnection(CustomerAccountRef, 'walletsConnection', {
  model: 'CustomerAccount',
  relation: 'wallets',
  type: connectionOf(CustomerWalletRef),
  selects: 'CustomerWallet',
  keyset: byId('OLDEST'),
  description: 'Linked wallets, oldest first.',
});

relatedConnection(CustomerAccountRef, 'paymentIntentsConnection', {
  model: 'CustomerAccount',
  relation: 'paymentIntents',
  type: PaymentIntentConnection,
  selects: 'PaymentIntent',
  keyset: byId('NEWEST'),
  description: 'Payment intents of the customer, newest first.',
  authScopes,
});

relatedConnection(CustomerAccountRef, 'invoicesConnection', {
  model: 'CustomerAccount',
  relation: 'invoices',
  type: InvoiceConnection,
  selects: 'Invoice',
  keyset: byId('NEWEST'),
  description: 'Invoices of the customer, newest first.',
  authScopes,
});

relatedConnection(CustomerAccountRef, 'subscriptionsConnection', {
  model: 'CustomerAccount',
  relation: 'subscriptions',
  type: connectionOf(SubscriptionRef),
  selects: 'Subscription',
  keyset: byId('NEWEST'),
  description: 'Subscriptions of the customer, newest first.',
  authScopes,
});
