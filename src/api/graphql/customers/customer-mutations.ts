/** The mutations of customers and their wallets. */
import { z } from 'zod';
import { findSink } from '../../../chains/payable-address.ts';
import { addCustomerWallet } from '../../../customers/add-customer-wallet.ts';
import { createCustomer } from '../../../customers/create-customer.ts';
import { customerFieldsSchema } from '../../../customers/customer.ts';
import { removeCustomerWallet } from '../../../customers/remove-customer-wallet.ts';
import { updateCustomer } from '../../../customers/update-customer.ts';
import { parseWalletAddress } from '../../../customers/wallet.ts';
import type { FieldFault } from '../../../errors.ts';
import { builder } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { gatewayErrorOf } from '../server/fault.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { appIdShape, carryRules, checked, defineRules, OWN_APP } from '../server/input.ts';
import { appScopeOf, scopeOf } from '../server/scope-of.ts';
import { CustomerAccountRef, CustomerWalletRef } from './customer.ts';

const fields = {
  email: 'At most 255 characters.',
  name: 'At most 255 characters.',
  externalId: 'Your own ID for the customer, at most 255 characters.',
  address: 'At most 500 characters.',
  city: 'At most 255 characters.',
  state: 'At most 255 characters.',
  country: 'At most 255 characters.',
  postalCode: 'At most 50 characters.',
  locale: 'The language of emails to the customer: `en` or `de`. Null to use the language of the app.',
} as const;

const createRules = defineRules({ schema: customerFieldsSchema.extend({ appId: z.string() }) });
const CreateCustomerInput = builder.inputType('CreateCustomerInput', {
  description: 'Input for creating a customer.',
  extensions: carryRules(createRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', required: true, description: 'The owning app.' }),
    email: t.string({ description: fields.email }),
    name: t.string({ description: fields.name }),
    externalId: t.string({ description: fields.externalId }),
    address: t.string({ description: fields.address }),
    city: t.string({ description: fields.city }),
    state: t.string({ description: fields.state }),
    country: t.string({ description: fields.country }),
    postalCode: t.string({ description: fields.postalCode }),
    locale: t.string({ description: fields.locale }),
    metadata: t.field({ type: 'JSONObject', description: 'At most 50 keys and 16 KiB as JSON.' }),
  }),
});

const updateRules = defineRules({ schema: customerFieldsSchema.extend({ appId: z.string().optional() }) });
const UpdateCustomerInput = builder.inputType('UpdateCustomerInput', {
  description: 'Changes to a customer. An absent field is unchanged, and null clears a field.',
  extensions: carryRules(updateRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'The owning app, which cannot be changed.' }),
    email: t.string({ description: fields.email }),
    name: t.string({ description: fields.name }),
    externalId: t.string({ description: fields.externalId }),
    address: t.string({ description: fields.address }),
    city: t.string({ description: fields.city }),
    state: t.string({ description: fields.state }),
    country: t.string({ description: fields.country }),
    postalCode: t.string({ description: fields.postalCode }),
    locale: t.string({ description: fields.locale }),
    metadata: t.field({
      type: 'JSONObject',
      description: 'At most 50 keys and 16 KiB as JSON. Null removes all entries.',
    }),
  }),
});

/** Only EVM wallets are linked here. The address must be valid, in lower case or with its checksum. */
function walletFaults(input: unknown, { world }: GraphqlContext): FieldFault[] {
  const given: { chainId?: unknown; walletAddress?: unknown } =
    typeof input === 'object' && input !== null ? input : {};
  const faults: FieldFault[] = [];
  const chain = typeof given.chainId === 'number' ? world.registry.chain(given.chainId) : undefined;
  if (!chain) faults.push({ param: 'chainId', message: 'is not a known chain' });
  else if (chain.family !== 'EVM')
    faults.push({ param: 'chainId', message: `is a ${chain.family} chain, not an EVM one` });
  if (typeof given.walletAddress === 'string') {
    try {
      const address = parseWalletAddress(given.walletAddress);
      const sink = chain?.family === 'EVM' ? findSink([chain], { family: 'EVM', address }) : null;
      if (sink !== null) faults.push({ param: 'walletAddress', message: sink });
    } catch (error) {
      faults.push(...(gatewayErrorOf(error)?.details ?? []));
    }
  }
  return faults;
}

const walletRules = defineRules({
  schema: z.object({ ...appIdShape, chainId: z.int(), walletAddress: z.string() }),
  also: walletFaults,
});
const AddCustomerWalletInput = builder.inputType('AddCustomerWalletInput', {
  description: 'Input for linking a wallet.',
  extensions: carryRules(walletRules),
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: OWN_APP }),
    chainId: t.int({ required: true, description: 'Numeric ID of an EVM chain, such as 1 for Ethereum.' }),
    walletAddress: t.string({
      required: true,
      description:
        '`0x` and 40 hex digits, with any capitalization. An address without a private key is refused, such as that of a precompile, the escrow contract or a token.',
    }),
  }),
});

builder.mutationField('createCustomer', (t) =>
  t.field({
    type: CustomerAccountRef,
    description: 'Creates a customer.',
    authScopes: { write: true },
    args: { input: t.arg({ type: CreateCustomerInput, required: true }) },
    resolve: async (_root, args, context) => {
      const { appId, ...input } = checked(context, createRules, args.input);
      const scope = await appScopeOf(context, { appId });
      const call = { scopeId: scope.appId, operation: 'createCustomer', parameters: input };
      return createCustomer(context.world, {
        appId: scope.appId,
        fields: input,
        idempotency: idempotencyOf(context, call),
      });
    },
  }),
);

builder.mutationField('updateCustomer', (t) =>
  t.field({
    type: CustomerAccountRef,
    description: 'Changes a customer.',
    authScopes: { write: true },
    args: {
      id: t.arg.id({ required: true, description: 'UUID of the object.' }),
      input: t.arg({ type: UpdateCustomerInput, required: true }),
    },
    resolve: async (_root, args, context) => {
      const { appId, ...input } = checked(context, updateRules, args.input);
      const scope = await scopeOf(context, { appId });
      return updateCustomer(context.world, { scope, id: args.id, fields: input });
    },
  }),
);

builder.mutationField('addCustomerWallet', (t) =>
  t.field({
    type: CustomerWalletRef,
    description:
      'Links a wallet to a customer. Subscriptions whose consent the wallet signed, and which lost the wallet when it was unlinked, are charged to it again from their next attempt. CONFLICT if it is already linked.',
    authScopes: { write: true },
    args: {
      customerId: t.arg.id({ required: true, description: "The customer's UUID." }),
      input: t.arg({ type: AddCustomerWalletInput, required: true }),
    },
    resolve: async (_root, { customerId, input: given }, context) => {
      const { appId, ...input } = checked(context, walletRules, given);
      const scope = await scopeOf(context, { appId });
      return addCustomerWallet(context.world, {
        scope,
        customerId,
        chainId: input.chainId,
        walletAddress: parseWalletAddress(input.walletAddress),
        idempotency: idempotencyOf(context, {
          scopeId: scope.appId ?? scope.merchantId,
          operation: 'addCustomerWallet',
          parameters: { customerId, ...input },
        }),
      });
    },
  }),
);

builder.mutationField('removeCustomerWallet', (t) =>
  t.field({
    type: 'UUID',
    description: 'Unlinks a wallet and returns its ID.',
    authScopes: { write: true },
    args: {
      customerId: t.arg.id({ required: true, description: "The customer's UUID." }),
      walletId: t.arg.id({ required: true, description: "The wallet's UUID." }),
    },
    resolve: async (_root, { customerId, walletId }, context) => {
      await removeCustomerWallet(context.world, { scope: await scopeOf(context), customerId, walletId });
      return walletId;
    },
  }),
);
