/** What the editor shows at first. Nothing here moves money: an intent that nobody pays expires. */
export const exampleQuery = `# Press ▶ and choose an operation.
# WhoAmI needs no key; the others do.

query WhoAmI {
  viewer {
    kind
    app {
      id
      name
      mode
    }
  }
}

query LatestPayments {
  paymentIntents(first: 5) {
    nodes {
      id
      status
      amount
      currency
      createdAt
    }
  }
}

mutation CreatePayment {
  createPaymentIntent(input: { amount: "10.00", currency: "USD" }) {
    id
    status
    expiresAt
  }
}

subscription WatchPayments {
  paymentIntentsUpdated {
    id
    status
    amount
    currency
  }
}
`;

export const exampleHeaders = `{
  "x-api-key": ""
}`;
