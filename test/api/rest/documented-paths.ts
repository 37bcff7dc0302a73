/** Every path that the service's description names, for the payments API and the card API. */
const table = `
POST GET /payments/intents
GET /payments/intents/:id
POST /payments/intents/:id/cancel
POST /payments/intents/:id/refund
POST /payments/intents/:id/capture
POST /payments/intents/:id/dispute
POST /disputes/:id/resolve
GET /disputes
GET /disputes/:id
POST /disputes/:id/evidence
POST GET /subscriptions
POST /subscriptions/:id/checkout
GET PUT /subscriptions/:id
POST /subscriptions/:id/pause
POST /subscriptions/:id/resume
POST /subscriptions/:id/cancel
POST DELETE /subscriptions/:id/coupon
GET /subscriptions/:id/usage
POST /usage
POST GET /customers
GET PUT /customers/:id
POST /customers/:id/wallets
DELETE /customers/:customerId/wallets/:walletId
POST GET /payment-links
GET PUT DELETE /payment-links/:id
POST /payment-links/:slug/checkout
POST GET /coupons
GET PUT DELETE /coupons/:id
POST GET /tax-rates
GET PUT DELETE /tax-rates/:id
GET /prices
GET /balance
POST /balance/batch
POST GET /product-plans
GET PUT /product-plans/:id
POST /product-plans/:id/prices
PUT DELETE /product-plans/:id/prices/:priceId
POST GET /invoices
GET /invoices/:id
POST /invoices/:id/open
POST /invoices/:id/void
POST /invoices/:id/send
POST GET /checkout-sessions
GET /checkout-sessions/:id
POST /checkout-sessions/:id/expire
GET /checkout-sessions/:id/options
POST /checkout-sessions/:id/prepare
POST /checkout-sessions/:id/confirm
POST /checkout-sessions/:id/codes
POST /checkout-sessions/:id/codes/exchange
POST GET /apps/:appId/webhooks
PUT DELETE /apps/:appId/webhooks/:id
POST /apps/:appId/webhooks/:id/rotate-secret
POST /apps/:appId/webhooks/:id/test-ping
GET /apps/:appId/webhooks/:id/deliveries
POST /apps/:appId/webhooks/deliveries/:id/redeliver
GET /audit-log
GET /liabilities
GET /liabilities/:id
GET /reports/proof
GET /events
GET /test-clock
POST /test-clock/advance
GET /x402/supported
POST /x402/requirements
POST /x402/verify
POST /x402/settle
GET /x402/payments
GET /x402/payments/:id
POST /v1/auth/otp/request
POST /v1/auth/otp/verify
POST /v1/session-connect/session
GET /v1/session-connect/accounts
POST /v1/onetime-connect/start
GET /v1/onetime-connect/methods
POST /v1/onetime-connect/:id/confirm
GET PUT /v1/wallet/profile
GET /v1/wallet/activity
`;

/** As "POST /payments/intents". */
export const documentedPaths: readonly string[] = table
  .trim()
  .split('\n')
  .flatMap((line) => {
    const words = line.split(' ');
    const path = words.at(-1) ?? '';
    return words.slice(0, -1).map((method) => `${method} ${path}`);
  });
