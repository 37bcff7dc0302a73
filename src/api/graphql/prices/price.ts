/** The PriceQuote type and the query price. */
import { invalid } from '../../../errors.ts';
import { isCurrency, parseFiat } from '../../../prices/money.ts';
import { type PriceQuote, readPrice } from '../../../prices/read-price.ts';
import { builder } from '../server/builder.ts';

const PriceQuoteRef = builder.objectRef<PriceQuote>('PriceQuote').implement({
  description: "A token's price, and a conversion if one was requested.",
  fields: (t) => ({
    asset: t.exposeString('asset', { description: 'The priced asset: a token key or a symbol.' }),
    symbol: t.exposeString('symbol', { description: "The token's symbol." }),
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
    priceFiat: t.float({
      description:
        'Price of one whole token, in `currency`. A floating-point number for display, not for calculations.',
      resolve: (quote) => quote.priceFiat.toNumber(),
    }),
    cachedAt: t.expose('cachedAt', { type: 'DateTime', description: 'Time at which the price was read.' }),
    amountFiat: t.float({
      nullable: true,
      description: 'Fiat amount of the conversion, in `currency`.',
      resolve: (quote) => quote.amountFiat?.toNumber() ?? null,
    }),
    tokenAmount: t.exposeString('tokenAmount', {
      nullable: true,
      description:
        "Token amount of the conversion in whole tokens, as a decimal string. Rounded up to the token's decimals when converted from fiat, otherwise truncated to them.",
    }),
  }),
});

const ASSET_LIMIT = 100;

builder.queryField('price', (t) =>
  t.field({
    type: PriceQuoteRef,
    description: 'A spot price, or a conversion between fiat and tokens. Requires no credential.',
    authScopes: { public: true },
    args: {
      asset: t.arg.string({
        required: true,
        description: 'A token key (USDC-1), a symbol, or <contract>-<chainId>; at most 100 characters.',
      }),
      currency: t.arg.string({ description: 'USD or EUR. Defaults to USD.' }),
      amountFiat: t.arg({
        type: 'Decimal',
        description: 'Fiat amount to convert to tokens: at most 12 digits and 2 decimals.',
      }),
      tokenAmount: t.arg({
        type: 'Decimal',
        description: "Amount in whole tokens to convert to fiat. Truncated to the token's decimals.",
      }),
    },
    resolve: (_root, args, { world }) => {
      const currency = args.currency ?? 'USD';
      const faults = [
        ...(args.asset.length > 0 && args.asset.length <= ASSET_LIMIT
          ? []
          : [{ param: 'asset', message: `between 1 and ${ASSET_LIMIT} characters` }]),
        ...(isCurrency(currency) ? [] : [{ param: 'currency', message: 'must be USD or EUR' }]),
        ...(args.amountFiat != null && parseFiat(args.amountFiat) === null
          ? [{ param: 'amountFiat', message: 'must be greater than zero, with at most 12 digits and 2 decimals' }]
          : []),
        ...(args.tokenAmount != null && !/[1-9]/.test(args.tokenAmount)
          ? [{ param: 'tokenAmount', message: 'must be greater than zero' }]
          : []),
      ];
      if (faults.length > 0 || !isCurrency(currency)) throw invalid(faults);
      const { asset, amountFiat, tokenAmount } = args;
      return readPrice(world, { asset, currency, amountFiat, tokenAmount });
    },
  }),
);
