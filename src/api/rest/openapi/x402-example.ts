/** An x402 payment as the API's examples show it: of 0.01 USDC on Base, by the scheme `exact`. */
const paymentRequirements = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  amount: '10000',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2', refundable: false, quote: 'eyJpZCI6IjAxOTJ….q4mVd2…' },
};

/** Example values by field name. */
export const x402Example = {
  x402Version: 2,
  network: 'eip155:8453',
  paymentRequirements,
  paymentPayload: {
    x402Version: 2,
    accepted: paymentRequirements,
    payload: {
      authorization: {
        from: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
        to: paymentRequirements.payTo,
        value: paymentRequirements.amount,
        validAfter: '0',
        validBefore: '1795824000',
        nonce: `0x${'5e'.repeat(32)}`,
      },
      signature: `0x${'1f'.repeat(64)}1b`,
    },
  },
};
