/** The steps of a wallet to pay, and the quote for them. */
import { renderSVG } from 'uqr';
import type { PaymentStep } from '../../../checkout/payment-step.ts';
import type { PreparedCheckout, PublicQuote } from '../../../checkout/prepare-checkout.ts';
import { type PriceEvidence, readEvidence } from '../../../prices/price-evidence.ts';
import { builder, NodeRef } from '../server/builder.ts';

const PaymentStepKindEnum = builder.enumType('PaymentStepKind', {
  description: 'The kind of step, which determines which fields it has.',
  values: {
    transaction: {
      value: 'transaction',
      description: 'The wallet sends a transaction. The step has the fields chainId, to, data and value.',
    },
    signTypedData: {
      value: 'signTypedData',
      description: 'The wallet signs typed data. The step has the fields name and typedData.',
    },
    transfer: {
      value: 'transfer',
      description:
        'The payer sends a plain transfer manually, from any wallet or exchange. The step has the fields chainId, address, tokenKey, amount, refundAddress, expiresAt and paymentUrl.',
    },
    solanaTransaction: {
      value: 'solanaTransaction',
      description: 'A Solana wallet signs a transaction. The step has the fields transaction and paymentUrl.',
    },
  } as const,
});

const SignatureNameEnum = builder.enumType('SignatureName', {
  description: 'The signature that a step requires. confirmCheckout accepts it under this name.',
  values: {
    permit: {
      value: 'permit',
      description:
        'An EIP-2612 permit for an allowance of exactly the amount or, for a subscription, of twelve times the cap.',
    },
    consent: {
      value: 'consent',
      description: "The payer's signature of the terms or, for a subscription, of the recurring consent.",
    },
    receive: {
      value: 'receive',
      description: 'An ERC-3009 authorization of the payment, which is bound to the terms.',
    },
  } as const,
});

const PaymentStepRef = builder.objectRef<PaymentStep>('PaymentStep').implement({
  description: 'A step that the payer performs. Fields of other kinds of steps are null, and omitted over REST.',
  fields: (t) => ({
    kind: t.field({ type: PaymentStepKindEnum, description: 'The kind of step.', resolve: (step) => step.kind }),
    description: t.string({
      description: 'Description of the step for the payer.',
      resolve: (step) => step.description,
    }),
    chainId: t.int({
      nullable: true,
      description: 'The chain that the transaction or transfer is for.',
      resolve: (step) => (step.kind === 'transaction' || step.kind === 'transfer' ? step.chainId : null),
    }),
    to: t.field({
      type: 'Address',
      nullable: true,
      description: 'Address of the contract to call.',
      resolve: (step) => (step.kind === 'transaction' ? step.to : null),
    }),
    data: t.field({
      type: 'Hex',
      nullable: true,
      description: 'Call data of the transaction, in hex.',
      resolve: (step) => (step.kind === 'transaction' ? step.data : null),
    }),
    value: t.field({
      type: 'BaseUnits',
      nullable: true,
      description: 'Amount of the native coin to send with the call, in wei.',
      resolve: (step) => (step.kind === 'transaction' ? step.value : null),
    }),
    name: t.field({
      type: SignatureNameEnum,
      nullable: true,
      description: 'Name under which the signature is passed to confirmCheckout.',
      resolve: (step) => (step.kind === 'signTypedData' ? step.name : null),
    }),
    typedData: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'EIP-712 `{domain, types, primaryType, message}`, in the form that eth_signTypedData_v4 accepts.',
      resolve: (step) => (step.kind === 'signTypedData' ? step.typedData : null),
    }),
    transaction: t.string({
      nullable: true,
      description:
        'An unsigned Solana transaction in base64. Its blockhash is valid for about a minute, and the payer pays its fee. Null if no wallet was named.',
      resolve: (step) => (step.kind === 'solanaTransaction' ? step.transaction : null),
    }),
    paymentUrl: t.string({
      nullable: true,
      description:
        'The same payment as a Solana Pay transfer request, valid until the quote expires; for a plain transfer, an EIP-681 request.',
      resolve: paymentUrlOf,
    }),
    paymentQr: t.string({
      nullable: true,
      description: 'paymentUrl as a QR code, an SVG document.',
      resolve: (step) => {
        const url = paymentUrlOf(step);
        return url === null ? null : renderSVG(url);
      },
    }),
    address: t.field({
      type: 'Address',
      nullable: true,
      description:
        'The deposit address of a plain transfer. It is derived from the terms, so a payer who sends to it agrees to them.',
      resolve: (step) => (step.kind === 'transfer' ? step.address : null),
    }),
    addressQr: t.string({
      nullable: true,
      description: 'The bare deposit address as a QR code, an SVG document. Exchanges and most wallets can read it.',
      resolve: (step) => (step.kind === 'transfer' ? renderSVG(step.address) : null),
    }),
    tokenKey: t.string({
      nullable: true,
      description: 'The token of a plain transfer.',
      resolve: (step) => (step.kind === 'transfer' ? step.tokenKey : null),
    }),
    amount: t.field({
      type: 'BaseUnits',
      nullable: true,
      description: 'The exact amount that must arrive, in base units. Fees of an exchange are added to it.',
      resolve: (step) => (step.kind === 'transfer' ? step.amount : null),
    }),
    refundAddress: t.field({
      type: 'Address',
      nullable: true,
      description:
        'The address that receives refunds and everything that is not part of the payment. Its key can dispute the payment.',
      resolve: (step) => (step.kind === 'transfer' ? step.refundAddress : null),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'Time by which the payer should send a plain transfer. A transfer that arrives up to 30 minutes later still counts.',
      resolve: (step) => (step.kind === 'transfer' ? new Date(step.expiresAt) : null),
    }),
  }),
});

function paymentUrlOf(step: PaymentStep): string | null {
  return step.kind === 'solanaTransaction' || step.kind === 'transfer' ? step.paymentUrl : null;
}

const SourcePriceRef = builder.objectRef<PriceEvidence[number]['sources'][number]>('SourcePrice').implement({
  description: 'The price from one source.',
  fields: (t) => ({
    source: t.exposeString('source', {
      description: 'Name of the source: `coingecko` or `kraken`, or `fixed` in development.',
    }),
    priceUsd: t.exposeString('priceUsd', {
      description: 'Price of one whole unit in USD, as a decimal string, exactly as hashed.',
    }),
    at: t.exposeString('at', {
      description: 'Time at which the price was read: ISO 8601 in UTC with milliseconds, exactly as hashed.',
    }),
  }),
});

export const PriceEvidenceRef = builder.objectRef<PriceEvidence[number]>('PriceEvidence').implement({
  description: "The evidence for a quote's price of one asset. It is hashed into the `quoteHash` of the signed terms.",
  fields: (t) => ({
    asset: t.exposeString('asset', { description: 'Symbol of the token, or code of the fiat currency.' }),
    priceUsd: t.exposeString('priceUsd', {
      description: 'The price that was used, in USD for one whole unit, as a decimal string.',
    }),
    sources: t.expose('sources', {
      type: [SourcePriceRef],
      description: 'Prices from the sources, ordered by name; at most 2.',
    }),
  }),
});

const QuoteRef = builder.objectRef<PublicQuote>('Quote').implement({
  description: 'A price locked for one wallet, chain and token.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    cryptoAmount: t.field({
      type: 'BaseUnits',
      description: 'Amount of the payment, in base units.',
      resolve: (quote) => quote.cryptoAmount,
    }),
    exchangeRate: t.string({
      description: 'Number of whole tokens per 1 USD, as a decimal string.',
      resolve: (quote) => quote.exchangeRate.toFixed(),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Time until which the quote can be confirmed.' }),
    evidence: t.field({
      type: [PriceEvidenceRef],
      description: 'Evidence for the prices of the quote, by asset: the token and, unless it is USD, the currency.',
      resolve: (quote) => readEvidence(quote.evidence),
    }),
  }),
});

export const PreparedCheckoutRef = builder.objectRef<PreparedCheckout>('PreparedCheckout').implement({
  description: 'The locked price, and the steps by which the payer pays.',
  fields: (t) => ({
    quote: t.expose('quote', { type: QuoteRef, description: 'The locked price.' }),
    terms: t.field({
      type: 'JSONObject',
      nullable: true,
      description:
        "The terms that the payer agrees to, with integers as strings: the payment's terms or the subscription's recurring consent, in the form that the escrow contract uses. A page can rebuild from it what the wallet is asked to sign. Null in a replayed response from before this field existed.",
      resolve: (prepared) => prepared.terms ?? null,
    }),
    steps: t.expose('steps', { type: [PaymentStepRef], description: 'The steps, in order.' }),
    walletBalance: t.expose('walletBalance', {
      type: 'BaseUnits',
      description: 'Current balance of the wallet in the token, in base units.',
    }),
    walletAllowance: t.expose('walletAllowance', {
      type: 'BaseUnits',
      description: 'Current allowance of the wallet to the escrow, in base units.',
    }),
  }),
});
