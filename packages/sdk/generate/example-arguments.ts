/**
 * Arguments of the examples, where those of the OpenAPI document are not sufficient. Names that end in `Id`, and other free
 * variables, stand for values that the reader has; the test that runs the examples supplies them.
 */
export const exampleArguments: Record<string, string> = {
  'balances.get': "{ chainId: 31337, address: walletAddress, tokenKey: 'USDC-31337', includePrice: true }",
  'balances.batch': "{ items: [{ chainId: 31337, address: walletAddress, token: 'native' }] }",
  'checkoutSessions.create': "{ items: [{ name: 'T-shirt', amount: '25.00', currency: 'USD', quantity: 2 }] }",
  'checkoutSessions.prepare': "{ chainId: 31337, tokenKey: 'USDC-31337', walletAddress, method: 'DIRECT' }",
  'checkoutSessions.confirm': '{ txHash }',
  'coupons.create': "{ name: 'Spring sale', code: 'SPRING', percentOffBps: 2000 }",
  'coupons.update': '{ isActive: false }',
  'customers.create': "{ appId, email: 'ada@example.com', name: 'Ada Lovelace' }",
  'customers.update': "{ city: 'London' }",
  'customers.addWallet': '{ chainId: 31337, walletAddress }',
  'disputes.resolve': '{ payerBps: 10000 }',
  'disputes.submitEvidence': "{ text: 'Delivered on 3 March, signed for by the recipient.' }",
  'paymentIntents.capture': "{ amount: '10000000' }",
  'paymentLinks.create': "{ appId, name: 'Coffee', slug: 'coffee', amount: '4.50', currency: 'USD' }",
  'paymentLinks.update': "{ amount: '5.00' }",
  'paymentLinks.startCheckout': '',
  'prices.get': "{ asset: 'USDC-31337', currency: 'EUR' }",
  'productPlans.create':
    "{ name: 'Pro', planType: 'SUBSCRIPTION', prices: [{ amount: '20.00', billingInterval: 'MONTH', isDefault: true }] }",
  'productPlans.update': "{ description: 'Everything, and support within a day.' }",
  'productPlans.createPrice': "{ amount: '200.00', billingInterval: 'YEAR' }",
  'productPlans.updatePrice': "{ nickname: 'Yearly' }",
  'subscriptions.applyCoupon': '{ couponId }',
  'subscriptions.cancel': '{ cancelAtPeriodEnd: true }',
  'taxRates.update': "{ displayName: 'VAT (UK)' }",
  'testClock.advance': '{ seconds: 60 }',
  'webhookEndpoints.update': "{ events: ['payment_intent.captured'] }",
  'auditLog.export': "{ format: 'csv' }",
};
