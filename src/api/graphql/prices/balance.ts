/** Balances on chain: the queries balance and balances. */
import type { BalanceQuery } from '../../../chains/balances/holding.ts';
import { type FieldFault, GatewayError, invalid } from '../../../errors.ts';
import { type Balance, type BalanceValue, readValuedBalances } from '../../../prices/balances/read-valued-balances.ts';
import { type Currency, isCurrency } from '../../../prices/money.ts';
import { builder } from '../server/builder.ts';

/** Maximum number of items in a batch. */
const ITEMS_LIMIT = 50;
const TEXT_LIMIT = 600;

const BalanceValueRef = builder.objectRef<BalanceValue>('BalanceValue').implement({
  description: 'Fiat value of a balance.',
  fields: (t) => ({
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
    priceFiat: t.float({
      description:
        'Price of one whole token, in `currency`. A floating-point number for display, not for calculations.',
      resolve: (value) => value.priceFiat.toNumber(),
    }),
    valueFiat: t.expose('valueFiat', {
      type: 'Decimal',
      description: 'Value of the balance, in `currency`, rounded half up to two decimals.',
    }),
    cachedAt: t.expose('cachedAt', { type: 'DateTime', description: 'Time at which the price was read.' }),
  }),
});

const BalanceRef = builder.objectRef<Balance>('Balance').implement({
  description: 'Balance of a token at an address, as of the latest block.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    address: t.exposeString('address', { description: 'The address whose balance was read, in canonical form.' }),
    token: t.exposeString('token', {
      description: "`native`, or the token's contract address, mint or Sui coin type.",
    }),
    tokenKey: t.exposeString('tokenKey', {
      nullable: true,
      description: 'Key of the token in the registry. Null for a token that is not registered.',
    }),
    symbol: t.exposeString('symbol', {
      nullable: true,
      description:
        'Symbol of the token. For an unregistered token, the unverified symbol that the token contract reports, or null.',
    }),
    decimals: t.exposeInt('decimals', { description: 'Number of decimal places of the token.' }),
    balance: t.field({
      type: 'BaseUnits',
      description: 'Amount in base units.',
      resolve: (balance) => balance.baseUnits,
    }),
    formatted: t.exposeString('formatted', { description: 'Whole tokens, as a decimal string.' }),
    price: t.expose('price', {
      type: BalanceValueRef,
      nullable: true,
      description: 'Fiat value of the balance. Null unless it was requested and the token is registered.',
    }),
  }),
});

type BalanceFault = { code: string; message: string };

const BalanceFaultRef = builder.objectRef<BalanceFault>('BalanceFault').implement({
  description: 'Why one balance of a batch could not be read.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description: 'VALIDATION_ERROR, NOT_FOUND, CHAIN_UNAVAILABLE, PRICE_UNAVAILABLE or INTERNAL_ERROR.',
    }),
    message: t.exposeString('message', { description: 'Description of the error.' }),
  }),
});

type BalanceResult = { asked: BalanceQuery; answer: Balance | GatewayError };

const balanceOf = ({ answer }: BalanceResult): Balance | null => (answer instanceof GatewayError ? null : answer);

const BalanceResultRef = builder.objectRef<BalanceResult>('BalanceResult').implement({
  description:
    'An item of a batch. It contains either the balance or an `error`; in the latter case the balance fields are null.',
  fields: (t) => ({
    ok: t.boolean({ description: 'Whether the balance was read.', resolve: (result) => balanceOf(result) !== null }),
    chainId: t.int({ description: 'Numeric chain ID, as in the request.', resolve: (result) => result.asked.chainId }),
    address: t.string({
      description: 'The address in canonical form, or as in the request if it is invalid.',
      resolve: (result) => balanceOf(result)?.address ?? result.asked.address,
    }),
    token: t.string({
      nullable: true,
      description: "`native`, or the token's contract address, mint or Sui coin type.",
      resolve: (result) => balanceOf(result)?.token ?? null,
    }),
    tokenKey: t.string({
      nullable: true,
      description: 'Key of the token in the registry. Null for a token that is not registered.',
      resolve: (result) => balanceOf(result)?.tokenKey ?? null,
    }),
    symbol: t.string({
      nullable: true,
      description: 'Symbol of the token, as in `Balance`.',
      resolve: (result) => balanceOf(result)?.symbol ?? null,
    }),
    decimals: t.int({
      nullable: true,
      description: 'Number of decimal places of the token.',
      resolve: (result) => balanceOf(result)?.decimals ?? null,
    }),
    balance: t.field({
      type: 'BaseUnits',
      nullable: true,
      description: 'Amount in base units.',
      resolve: (result) => balanceOf(result)?.baseUnits ?? null,
    }),
    formatted: t.string({
      nullable: true,
      description: 'Whole tokens, as a decimal string.',
      resolve: (result) => balanceOf(result)?.formatted ?? null,
    }),
    price: t.field({
      type: BalanceValueRef,
      nullable: true,
      description: 'Fiat value of the balance. Null unless it was requested and the token is registered.',
      resolve: (result) => balanceOf(result)?.price ?? null,
    }),
    error: t.field({
      type: BalanceFaultRef,
      nullable: true,
      description: 'Why the balance could not be read. Null if `ok` is true.',
      resolve: ({ answer }) => (answer instanceof GatewayError ? { code: answer.code, message: answer.message } : null),
    }),
  }),
});

const BalanceBatchRef = builder.objectRef<{ items: BalanceResult[] }>('BalanceBatch').implement({
  description: 'Balances in the order of the request.',
  fields: (t) => ({
    items: t.expose('items', {
      type: [BalanceResultRef],
      description: 'One balance for each requested item, at most 50.',
    }),
  }),
});

const BalanceItemInput = builder.inputType('BalanceItemInput', {
  description: "A balance to read. Without `token` and `tokenKey`, it is the balance of the chain's native coin.",
  fields: (t) => ({
    chainId: t.int({
      required: true,
      description: "Numeric chain ID of any known chain, regardless of the app's mode.",
    }),
    address: t.string({
      required: true,
      description: 'The address whose balance is read: hex on EVM chains and Sui, base58 on Solana.',
    }),
    token: t.string({ description: "`native`, or the token's contract address, mint or Sui coin type." }),
    tokenKey: t.string({
      description:
        'Key of a registered token, such as USDC-1. If `token` is also given, both must name the same token.',
    }),
  }),
});

const valueArgs = builder.args((t) => ({
  includePrice: t.boolean({ description: 'Whether to include the fiat value. Defaults to false.' }),
  currency: t.string({ description: 'Currency of the fiat value: USD or EUR. Defaults to USD.' }),
}));

builder.queryField('balance', (t) =>
  t.field({
    type: BalanceRef,
    description:
      "Balance of a token at an address. CHAIN_UNAVAILABLE if the chain's node is missing or fails. NOT_FOUND if there is no such token.",
    authScopes: { credential: true },
    args: {
      chainId: t.arg.int({ required: true, description: 'Numeric chain ID.' }),
      address: t.arg.string({
        required: true,
        description: 'The address whose balance is read: hex on EVM chains and Sui, base58 on Solana.',
      }),
      token: t.arg.string({
        description: "`native`, or the token's contract address, mint or Sui coin type. Defaults to `native`.",
      }),
      tokenKey: t.arg.string({
        description:
          'Key of a registered token, such as USDC-1. If `token` is also given, both must name the same token.',
      }),
      ...valueArgs,
    },
    resolve: async (_root, args, { world }) => {
      const faults = textFaults(args, '');
      const currency = readCurrency(args, faults);
      if (faults.length > 0) throw invalid(faults);
      const [answer] = await readValuedBalances(world, { queries: [args], currency });
      if (!answer || answer instanceof GatewayError)
        throw answer ?? new TypeError('The balance query returned no result.');
      return answer;
    },
  }),
);

builder.queryField('balances', (t) =>
  t.field({
    type: BalanceBatchRef,
    description:
      'Returns up to 50 balances on any chains. If an item fails, its error takes its place and the other items are not affected.',
    authScopes: { credential: true },
    complexity: ({ items }) => ({ field: 1, multiplier: Math.max(1, Math.min(items.length, ITEMS_LIMIT)) }),
    args: {
      items: t.arg({ type: [BalanceItemInput], required: true, description: '1 to 50.' }),
      ...valueArgs,
    },
    resolve: async (_root, args, { world }) => {
      const count = args.items.length;
      const faults =
        count >= 1 && count <= ITEMS_LIMIT
          ? []
          : [{ param: 'items', message: `has ${count}, from 1 to ${ITEMS_LIMIT}` }];
      const currency = readCurrency(args, faults);
      if (faults.length === 0)
        faults.push(...args.items.flatMap((item, index) => textFaults(item, `items[${index}].`)));
      if (faults.length > 0) throw invalid(faults);
      const answers = await readValuedBalances(world, { queries: args.items, currency });
      return {
        items: args.items.flatMap((asked, index) => {
          const answer = answers[index];
          return answer ? [{ asked, answer }] : [];
        }),
      };
    },
  }),
);

/** Returns the currency of the values, or null if none is requested. */
function readCurrency(
  args: { includePrice?: boolean | null | undefined; currency?: string | null | undefined },
  faults: FieldFault[],
): Currency | null {
  const currency = args.currency ?? 'USD';
  if (!isCurrency(currency)) {
    faults.push({ param: 'currency', message: 'must be USD or EUR' });
    return null;
  }
  return args.includePrice ? currency : null;
}

/** Returns faults for texts that are far longer than any address or token. */
function textFaults(query: BalanceQuery, prefix: string): FieldFault[] {
  return (['address', 'token', 'tokenKey'] as const)
    .filter((param) => (query[param]?.length ?? 0) > TEXT_LIMIT)
    .map((param) => ({ param: `${prefix}${param}`, message: `at most ${TEXT_LIMIT} characters` }));
}
