/** The subject of a dispute: the payment, the terms that both sides signed, and how a split would divide the amount in escrow. */
import { isAddressEqual } from 'viem';
import type { Prisma } from '../../../../prisma/client.ts';
import { invalid } from '../../../errors.ts';
import { type PaymentTerms, termsFromJson, termsTypedData } from '../../../escrow/terms.ts';
import { openOperatorSigner } from '../../../operator/operator-signer.ts';
import { ALL_BPS } from '../../../payments/actions/resolve-dispute.ts';
import { fiatOf, type Split, splitOf } from '../../../payments/disputes/split.ts';
import { isAccepted } from '../../../payments/payment-key.ts';
import { toBigInt } from '../../../prices/base-units.ts';
import { DisputeRef } from '../payments/dispute.ts';
import { PaymentIntentStatusEnum } from '../payments/payment-intent.ts';
import { builder } from '../server/builder.ts';
import type { World } from '../server/world.ts';

const disputed = {
  paymentIntent: {
    select: {
      id: true,
      status: true,
      amount: true,
      currency: true,
      cryptoAmount: true,
      leftAmount: true,
      cryptoTokenKey: true,
      cryptoTokenDecimals: true,
      authorizationChainId: true,
      authorizationTxHash: true,
      authorizationWalletAddress: true,
      acceptedTermsHash: true,
      capturedAt: true,
      app: { select: { name: true, merchant: { select: { name: true } } } },
      terms: true,
    },
  },
} as const satisfies Prisma.DisputeSelect;

type Disputed = Prisma.DisputeGetPayload<{ select: typeof disputed }>['paymentIntent'];
type AcceptedTerms = { intent: Disputed; row: Disputed['terms'][number]; terms: PaymentTerms };

/** The terms that were paid. Null if the payment no longer counts after a reorganization. */
export function acceptedTermsOf(intent: Disputed): AcceptedTerms | null {
  const row = intent.terms.find((terms) => isAccepted(intent, terms));
  return row ? { intent, row, terms: termsFromJson(row.terms) } : null;
}

const DisputePaymentRef = builder.objectRef<Disputed>('DisputePayment').implement({
  description: 'A disputed payment, as both sides and the arbiter see it.',
  fields: (t) => ({
    merchantName: t.string({ description: 'The merchant.', resolve: ({ app }) => app.merchant.name }),
    appName: t.string({ description: 'The app that was paid.', resolve: ({ app }) => app.name }),
    status: t.expose('status', { type: PaymentIntentStatusEnum, description: 'Current status.' }),
    amount: t.expose('amount', { type: 'Decimal', description: 'Amount in `currency`.' }),
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
    chainId: t.exposeInt('authorizationChainId', { nullable: true, description: 'Numeric chain ID.' }),
    tokenKey: t.exposeString('cryptoTokenKey', { nullable: true, description: 'The token.' }),
    decimals: t.exposeInt('cryptoTokenDecimals', { nullable: true, description: 'Decimals of the token.' }),
    cryptoAmount: t.expose('cryptoAmount', {
      type: 'BaseUnits',
      nullable: true,
      description: 'Amount paid, in base units.',
    }),
    leftAmount: t.expose('leftAmount', {
      type: 'BaseUnits',
      nullable: true,
      description: 'Amount in escrow, which a resolution splits, in base units.',
    }),
    walletAddress: t.exposeString('authorizationWalletAddress', { nullable: true, description: "The payer's wallet." }),
    txHash: t.exposeString('authorizationTxHash', { nullable: true, description: 'Hash of the paying transaction.' }),
    capturedAt: t.expose('capturedAt', { type: 'DateTime', nullable: true, description: 'Block time of the capture.' }),
  }),
});

const DisputeTermsRef = builder.objectRef<AcceptedTerms>('DisputeTerms').implement({
  description: 'The terms that the payer and the operator signed. A split must follow them.',
  fields: (t) => ({
    hash: t.field({
      type: 'Hex',
      description: 'EIP-712 struct hash of the terms, which identifies the payment in the contract.',
      resolve: ({ row }) => row.termsHash,
    }),
    typedData: t.field({
      type: 'JSONObject',
      nullable: true,
      description:
        'The signed EIP-712 typed data, `{domain, types, primaryType, message}`, with integers as strings. Null if the chain is no longer configured.',
      resolve: ({ row, terms }, _args, { world }) => typedDataOf(world, row.chainId, terms),
    }),
    operatorSignature: t.field({
      type: 'Hex',
      description: "The operator's signature of the terms.",
      resolve: ({ row }) => row.operatorSignature,
    }),
    payerSignature: t.field({
      type: 'Hex',
      nullable: true,
      description:
        "The payer's signature of the terms. Null if the payer sent the transaction, which itself is the consent.",
      resolve: ({ row }) => row.payerSignature,
    }),
    arbiter: t.field({
      type: 'Address',
      description: 'The only account whose transaction can split the payment before the deadline.',
      resolve: ({ terms }) => terms.arbiter,
    }),
    isArbiterHere: t.boolean({
      description: "Whether this installation holds the arbiter's key, so that `resolveDispute` can split the payment.",
      resolve: ({ terms }, _args, { world }) => {
        const { privateKey } = world.config.arbiter;
        return privateKey !== undefined && isAddressEqual(openOperatorSigner({ privateKey }).address, terms.arbiter);
      },
    }),
    merchantAddress: t.field({
      type: 'Address',
      description: "Address that receives the merchant's share.",
      resolve: ({ terms }) => terms.merchant,
    }),
    payerAddress: t.field({
      type: 'Address',
      description: "Address that receives the payer's share.",
      resolve: ({ terms }) => terms.payer,
    }),
    feeBps: t.int({
      description: "Platform fee on the merchant's share, in basis points.",
      resolve: ({ terms }) => terms.feeBps,
    }),
    timeoutPayerBps: t.int({
      description: "The payer's share if nobody resolves the dispute by its deadline, in basis points.",
      resolve: ({ terms }) => terms.timeoutPayerBps,
    }),
  }),
});

function typedDataOf(world: World, chainId: number, terms: PaymentTerms): Record<string, unknown> | null {
  const escrow = world.registry.chain(chainId)?.escrow;
  if (!escrow) return null;
  const { domain, types, primaryType, message } = termsTypedData({ chainId, escrow, terms });
  const printed = JSON.stringify({ domain, types, primaryType, message }, (_name, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return JSON.parse(printed);
}

export type PricedSplit = Split & { paid: { units: bigint; fiat: { toString(): string } }; currency: string };

export const DisputeSplitRef = builder.objectRef<PricedSplit>('DisputeSplit').implement({
  description:
    "How a resolution divides the amount in escrow. As in the contract, the payer's share and the fee are rounded down, and the merchant receives the remainder.",
  fields: (t) => ({
    payerBps: t.exposeInt('payerBps', { description: "The payer's share, in basis points." }),
    payerAmount: t.field({
      type: 'BaseUnits',
      description: 'Amount that the payer receives, in base units.',
      resolve: ({ payerAmount }) => payerAmount,
    }),
    merchantAmount: t.field({
      type: 'BaseUnits',
      description: 'Amount that the merchant receives, in base units.',
      resolve: ({ merchantAmount }) => merchantAmount,
    }),
    feeAmount: t.field({
      type: 'BaseUnits',
      description: "Platform fee, deducted from the merchant's share, in base units.",
      resolve: ({ feeAmount }) => feeAmount,
    }),
    payerFiat: t.field({
      type: 'Decimal',
      description: "The payer's amount at the rate of the payment, in `currency`.",
      resolve: ({ payerAmount, paid }) => fiatOf(payerAmount, paid),
    }),
    merchantFiat: t.field({
      type: 'Decimal',
      description: "The merchant's amount at the rate of the payment, in `currency`.",
      resolve: ({ merchantAmount, paid }) => fiatOf(merchantAmount, paid),
    }),
    feeFiat: t.field({
      type: 'Decimal',
      description: 'The fee at the rate of the payment, in `currency`.',
      resolve: ({ feeAmount, paid }) => fiatOf(feeAmount, paid),
    }),
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
  }),
});

/** Splits `remaining` base units of a payment under its terms. */
export function pricedSplit({ intent, terms }: AcceptedTerms, remaining: bigint, payerBps: number): PricedSplit {
  const paid = { units: intent.cryptoAmount ? toBigInt(intent.cryptoAmount) : terms.amount, fiat: intent.amount };
  return { ...splitOf(remaining, { payerBps, feeBps: terms.feeBps }), paid, currency: intent.currency };
}

/** The fields of a dispute that `acceptedTermsOf` needs. */
export const disputedPayment = disputed;

builder.prismaObjectFields(DisputeRef, (t) => ({
  payment: t.field({
    type: DisputePaymentRef,
    description: 'The disputed payment.',
    select: disputed,
    resolve: ({ paymentIntent }) => paymentIntent,
  }),
  terms: t.field({
    type: DisputeTermsRef,
    nullable: true,
    description: 'The terms that were paid. Null if a reorganization has removed the payment.',
    select: disputed,
    resolve: ({ paymentIntent }) => acceptedTermsOf(paymentIntent),
  }),
  split: t.field({
    type: DisputeSplitRef,
    nullable: true,
    description: 'How a resolution would divide the payment now. Null once nothing is left in escrow.',
    args: { payerBps: t.arg.int({ required: true, description: `The payer's share, 0 to ${ALL_BPS} basis points.` }) },
    select: disputed,
    resolve: ({ paymentIntent }, { payerBps }) => {
      if (payerBps < 0 || payerBps > ALL_BPS) throw invalid([{ param: 'payerBps', message: `from 0 to ${ALL_BPS}` }]);
      const accepted = acceptedTermsOf(paymentIntent);
      const remaining = paymentIntent.leftAmount ? toBigInt(paymentIntent.leftAmount) : 0n;
      return accepted && remaining > 0n ? pricedSplit(accepted, remaining, payerBps) : null;
    },
  }),
}));
