/**
 * The live list of a dashboard: `node examples/live-payments/watch.mjs [search]`. It prints the newest 20 payments, and then each payment as it
 * changes. It uses graphql-ws as any client can; `sluice.events.follow` of @sluice/sdk does the same with less code.
 */
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { readDemo } from '../demo.mjs';

const { graphqlUrl, secretKey } = readDemo();
const [search] = process.argv.slice(2);

const query = `subscription LivePayments($after: Int, $filter: PaymentIntentFilter) {
  paymentIntentsUpdated(after: $after, filter: $filter) {
    id
    sequence
    status
    amount
    currency
    externalId
    customerAccount { name }
  }
}`;

const client = createClient({
  url: graphqlUrl.replace(/^http/, 'ws'),
  webSocketImpl: WebSocket,
  connectionParams: { 'x-api-key': secretKey },
  // The loop below reconnects, because each new subscription must start after what was seen last.
  retryAttempts: 0,
});

/** The last sequence number that was seen: the next subscription starts after it, so that nothing is missed. */
let after;
for (;;) {
  try {
    const variables = { after, filter: search === undefined ? undefined : { search } };
    for await (const { data, errors } of client.iterate({ query, variables })) {
      if (errors) throw new Error(errors.map(({ message }) => message).join(' '));
      print(data.paymentIntentsUpdated);
    }
  } catch (error) {
    // The API closes a connection with 44xx if the key or the query is wrong, which no retry would change.
    const isFinal = error instanceof Error || Array.isArray(error) || (error.code >= 4400 && error.code < 4500);
    if (isFinal) throw error;
  }
  console.log('The connection was lost. Reconnecting …');
  await new Promise((resolve) => setTimeout(resolve, 1000));
}

function print({ id, sequence, status, amount, currency, externalId, customerAccount }) {
  after = Math.max(after ?? 0, sequence);
  console.log(
    `${status.padEnd(14)} ${`${amount} ${currency}`.padStart(14)}  ${externalId ?? customerAccount?.name ?? id}`,
  );
}
