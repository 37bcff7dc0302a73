/**
 * How the samples run that do not run as they stand. A sample without an entry runs unchanged. Each exemption needs a reason and the name of what
 * checks the block instead, if anything does.
 */
export type SampleRule =
  | { exempt: string }
  | {
      /** Shell lines before the sample, for the state that the reader has at that point. */
      given?: string;
      /** The same for a program: lines that its text assumes. */
      before?: string;
      /** Placeholders and their replacements. */
      replace?: [string, string][];
      /** Shell lines after the sample, which verify its effect. */
      after?: string;
      /** Arguments of a program. */
      args?: string;
      /** The extension of a program. By default mjs. */
      extension?: 'mjs' | 'ts';
      /** The variables of a GraphQL document. */
      variables?: Record<string, unknown>;
      /** The sample runs until it is stopped. The page continues once `after` has run. */
      isServer?: boolean;
    };

const installed = 'The workplace has been installed and started before the samples run.';
const checked = '`npm run check:all` runs this command.';
const asProgram = 'test/samples/samples.walk.ts runs this example, and looks at what it prints.';
const inBrowser = 'It runs in a page. test/browser/embed runs the published package on pages of other origins.';
const withSource =
  'It needs an installation of its own with this source. test/gateway/sources runs the shop behind a gateway.';
const withLiabilities =
  'It needs an installation that publishes its liabilities. test/packages and test/payments/verification cover it.';

const inMedusa = 'It is a part of a Medusa project. shops/medusa runs a Medusa server with the provider.';
const inVendure = 'It is a part of a Vendure project. shops/vendure/server.ts and test/shops/vendure do the same.';
const paidExample = 'test/packages/x402/real-gateway.test.ts runs this server and its client with a gateway.';
const paidCalls = 'It is a part of a server or of a buyer. test/packages/x402 runs each of them with real payments.';

/** Creates a plan, a customer and a subscription, for pages that speak of the reader's own. */
const withSubscription = `
CUSTOMER=$(json "$BASE/customers" -d '{"appId":"'$APP'","name":"Ada"}' | data .id)
json "$BASE/product-plans" -d '{"name":"Tea","planType":"SUBSCRIPTION","prices":[{"amount":"10.00","billingInterval":"MONTH","isDefault":true}]}' > plan.json
PLAN=$(data .id < plan.json) PRICE=$(data .prices[0].id < plan.json)`;

/** A payment that can be refunded. */
const withPayment = `
json "$BASE/payments/intents" -d '{"amount":"5.00"}' > intent.json
ID=$(data .id < intent.json)
node docs/pay.mjs "$ID" > paid.log
until [ "$(json "$BASE/payments/intents/$ID" | data .status)" = CAPTURED ]; do sleep 0.2; done`;

const sdkClient = `
import { createSluice, SluiceApiError } from '@sluice/sdk';
const [baseUrl, order, id] = [process.env.BASE, { id: crypto.randomUUID() }, process.env.ID];
const sluice = createSluice({ baseUrl, apiKey: process.env.KEY });
`;

export const sampleRules: Record<string, SampleRule> = {
  'README.md#getting-started': { exempt: installed },
  'docs/quickstart.md#start': { exempt: installed },
  'docs/quickstart.md#sell-something': {
    isServer: true,
    replace: [['node examples', 'SHOP_PORT=$SHOP_PORT node examples']],
    given: 'SHOP_PORT=$(node -p "new URL(\'http://localhost:3000\').port")',
    after: 'until curl -s http://localhost:3000/ -o /dev/null; do sleep 0.2; done 2> /dev/null',
  },
  'docs/quickstart.md#sell-something-2': {
    after: `curl "http://localhost:3000/orders/$(node -p 'require("./order.json").orderId')" | grep '"state":"PAID"'`,
  },
  'docs/quickstart.md#follow-what-happens': { args: '"$ID"' },
  'docs/card.md#the-sequence-2': { replace: [['CODE=123456', 'CODE=$(node card-holder.mjs code)']] },
  'docs/card.md#the-sequence-3': {
    given: 'eval "$(node card-holder.mjs sign-in)"',
    replace: [
      ['0x7099…79C8', "'$ADDRESS'"],
      ['shop.example wants…', `'"$MESSAGE"'`],
      ['0x…', "'$SIGNATURE'"],
    ],
  },
  'docs/card.md#the-sequence-4': { replace: [['0x7099…79C8', "'$ADDRESS'"]] },
  'docs/card.md#the-sequence-5': {
    after: `json "$API/wallet/activity" -H "authorization: Bearer $SESSION" | grep '"status":"REJECTED"'`,
  },
  'docs/coupons.md#coupons-of-subscriptions': { given: withSubscription },
  'docs/operations.md#install': { exempt: 'It changes the users and the services of a server, as root.' },
  'docs/disputes.md#evidence': {
    given: `ID=$(node open-dispute.mjs)
printf '%%PDF-1.4\\n1 0 obj<<>>endobj\\ntrailer<<>>\\n%%%%EOF\\n' > note.pdf`,
  },
  'docs/metered-prices.md#the-price': { replace: [["}]\n}'", "}]\n}' | tee metered.json"]] },
  'docs/metered-prices.md#recording-usage': {
    given: `${withSubscription.trim()}
PLAN=$(data .id < metered.json) PRICE=$(data .prices[0].id < metered.json)
SUBSCRIPTION=$(json "$BASE/subscriptions" -d '{"appId":"'$APP'","customerAccountId":"'$CUSTOMER'","productPlanId":"'$PLAN'","productPlanPriceId":"'$PRICE'"}' | data .id)`,
  },
  'docs/events.md#a-receiver': {
    exempt: 'test/events/receiver-in-the-docs.test.ts runs it, with good and forged webhooks.',
  },
  'docs/liabilities.md#proof-of-liabilities': { exempt: withLiabilities },
  'examples/verify-liabilities/README.md#verify-liabilities': { exempt: withLiabilities },
  'docs/shops/medusa.md#how-it-is-tested': { exempt: checked },
  'packages/checkout/README.md#2-create-a-session-on-your-server': {
    before: `const app = { post: (_, handler) => handler({}, { json: (body) => console.log(Object.keys(body)) }) };
const findOrder = () => ({ id: crypto.randomUUID(), name: 'Tea', amount: '12.50' });
`,
    given: 'SLUICE_API_KEY=$KEY',
  },
  'packages/checkout/README.md#3-show-it': { exempt: inBrowser },
  'packages/checkout/README.md#3-show-it-2': { exempt: inBrowser },
  'packages/sdk/README.md#sluicesdk': {
    given: 'SLUICE_API_KEY=$KEY',
    replace: [
      ['for await', 'console.log(intent.status);\nfor await'],
      ["=== 'CAPTURED'", "=== 'CREATED'"],
    ],
  },
  'packages/sdk/README.md#a-checkout-in-your-page': {
    before: `${sdkClient}const response = { json: (body) => console.log(Object.keys(body)) };\n`,
  },
  'packages/sdk/README.md#lists': { before: sdkClient },
  'packages/sdk/README.md#errors': { given: withPayment, before: sdkClient },
  'packages/sdk/README.md#retries': { before: sdkClient },
  'packages/sdk/README.md#webhooks': {
    before: `${sdkClient}const secret = process.env.WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = '{"id":"1","type":"ping"}';
const headers = await sluice.webhooks.sign({ id: '1', body, secret });
`,
  },
  'packages/sdk/README.md#a-receiver': {
    exempt: 'It needs the Postgres of a shop. test/packages/receiver-story.test.ts runs this receiver with one.',
  },
  'packages/sdk/README.md#browsers': {
    given: `json "$BASE/checkout-sessions" -d '{"items":[{"name":"Tea","amount":"3.00"}]}' > session.json
SESSION=$(data .id < session.json) CLIENT_SECRET=$(data .clientSecret < session.json)`,
    before: `import { createSluice } from '@sluice/sdk';
const { BASE: baseUrl, SESSION: sessionId, CLIENT_SECRET: clientSecret } = process.env;
`,
  },
  'docs/x402.md#a-first-paid-call-in-three-minutes': { exempt: paidExample },
  'docs/x402.md#a-first-paid-call-in-three-minutes-2': { exempt: paidCalls },
  'docs/x402.md#settle-before-or-after-the-response': { exempt: paidCalls },
  'docs/x402.md#tools-for-agents': { exempt: paidCalls },
  'docs/x402.md#buy-from-others': { exempt: paidCalls },
  'docs/x402.md#buy-from-others-2': { exempt: paidCalls },
  'docs/x402.md#buy-from-others-3': { exempt: paidCalls },
  'packages/medusa/README.md#set-up-in-ten-minutes': { exempt: inMedusa },
  'packages/medusa/README.md#set-up-in-ten-minutes-2': { exempt: inMedusa },
  'packages/vendure/README.md#set-up-in-ten-minutes': { exempt: inVendure },
  'packages/vendure/README.md#set-up-in-ten-minutes-2': { exempt: inVendure },
  'packages/x402/README.md#sell': { exempt: paidCalls },
  'packages/x402/README.md#buy': { exempt: paidCalls },
  'packages/x402/README.md#buy-2': { exempt: paidCalls },
  'examples/x402-api/README.md#a-paid-weather-api': { exempt: installed },
  'examples/x402-api/README.md#a-paid-weather-api-2': { exempt: paidExample },
  'examples/node-shop/README.md#a-shop-in-plain-node': { exempt: asProgram },
  'examples/express-receiver/README.md#a-webhook-receiver-in-express': { exempt: asProgram },
  'examples/hono-receiver/README.md#a-webhook-receiver-in-hono': { exempt: asProgram },
  'examples/live-payments/README.md#the-live-list-of-a-dashboard': { exempt: asProgram },
  'examples/subscription-trial/README.md#a-subscription-with-a-trial-2': { exempt: asProgram },
  'examples/shop-orders/README.md#orders-of-a-shop-beside-its-payments': { exempt: installed },
  'examples/shop-orders/README.md#orders-of-a-shop-beside-its-payments-2': { exempt: withSource },
  'examples/shop-orders/README.md#orders-of-a-shop-beside-its-payments-3': { exempt: withSource },
  'examples/shop-orders/README.md#orders-of-a-shop-beside-its-payments-4': { exempt: withSource },
};
