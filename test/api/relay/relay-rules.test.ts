/**
 * The rules of Relay for a schema, as graphql-eslint has them: nothing is found but what is named here with its reason. A list
 * has a connection beside it, or is bounded: see docs/decisions/0079-connections-beside-lists.md.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { type FieldDefinitionNode, Kind, type ObjectTypeDefinitionNode, parse } from 'graphql';
import { expect, test } from 'vitest';

const file = join(import.meta.dirname, '../../../schema/schema.graphql');
const text = readFileSync(file, 'utf8');

/** Lists without a connection, by the reason. */
const bounded: Record<string, string[]> = {
  'has the rows of a page, which the field that answers the page bounds': [
    'AuditEntries.nodes',
    'BalanceBatch.items',
    'ChainRecordComparison.differences',
    'CheckoutSessionPage.items',
    'CouponPage.items',
    'CustomerPage.items',
    'DisputePage.items',
    'EventPage.items',
    'FacilitatedPaymentPage.items',
    'InvoicePage.items',
    'PaymentIntentPage.items',
    'PaymentLinkPage.items',
    'ProductPlanPage.items',
    'SubscriptionPage.items',
    'SubscriptionUsagePage.items',
    'WalletActivity.items',
    'WebhookDeliveries.edges',
    'WebhookDeliveries.items',
    'WebhookDeliveries.nodes',
    'AuditEntries.edges',
  ],
  'is what the configuration has: chains, tokens, senders': [
    'Chain.tokens',
    'CheckoutOptions.options',
    'CustomerWallet.recordedAllowances',
    'Installation.books',
    'Installation.chains',
    'Installation.senders',
    'Live.chainStatus',
    'Payer.allowances',
    'Query.chainStatus',
    'Query.chains',
    'Query.tokens',
    'SigningMethods.methods',
  ],
  'has the newest rows, at most 100, of what is kept for some months': ['Query.liabilities', 'Query.mails'],
  'has one row a chain family': ['App.payoutAddresses', 'Checkout.payees'],
  'is bounded where its rows are made': [
    'App.accentShades',
    'CheckoutPayment.refunds',
    'PayerPayment.refunds',
    'Query.attention',
    'CheckoutSession.items',
    'ConnectedSession.accounts',
    'Dispute.evidenceEntries',
    'Dispute.files',
    'Event.deliveries',
    'Invoice.items',
    'LiabilityPiece.path',
    'LiabilityProof.pieces',
    'LiabilitySnapshot.tokens',
    'LinkedAccounts.accounts',
    'PaymentIntent.terms',
    'PaymentIntent.transfers',
    'PaymentTransfer.balances',
    'PaymentVerification.terms',
    'ProductPlan.prices',
    'RecordedUsage.results',
    'Subscription.usage',
    'PayerConsent.usage',
    'Metering.tiers',
    'InvoiceItemUsage.tiers',
    'Query.apps',
    'Query.liabilityProofs',
    'Query.members',
    'Query.webhookEndpoints',
    'WalletProfile.accounts',
  ],
  'has the steps or the sources of one thing': [
    'DisputeRequest.steps',
    'PaymentTerms.priceEvidence',
    'PaymentX402.priceEvidence',
    'PlanChangePreview.lines',
    'PreparedCheckout.steps',
    'PriceEvidence.sources',
    'Quote.evidence',
    'Transaction.logs',
    'Transaction.undelivered',
    'X402IssuedRequirements.accepts',
    'X402Supported.kinds',
  ],
  'has the sums of a span of time': [
    'Overview.books',
    'Overview.byChain',
    'Overview.byCurrency',
    'Overview.byStatus',
    'Overview.byTime',
    'Overview.undelivered',
    'OverviewTime.byChain',
    'OverviewTime.byCurrency',
    'OverviewTime.byStatus',
  ],
  'has the best hits of a search': [
    'SearchHits.customers',
    'SearchHits.invoices',
    'SearchHits.paymentLinks',
    'SearchHits.payments',
    'SearchHits.subscriptions',
  ],
  'is computed, with a limit of its own': ['Subscription.upcomingCharges'],
  'is a list of work that empties': ['Installation.alarms', 'Installation.outgoing', 'Installation.stuck'],
  'has its rows in another connection: PaymentIntent.undeliveredConnection or Payer.undeliveredConnection': [
    'CheckoutPayment.undelivered',
    'PayerPayment.undelivered',
  ],
};

/** Types with edges and pageInfo whose names were published before there was a rule for them, with cursors that are bare ids. */
const publishedNames = ['AuditEntries', 'WebhookDeliveries'];

/**
 * Edges whose nodes are not found by their id alone: a consent has the hash of what was signed as its id, and no UUID; an event of
 * a chain is known by its place there.
 */
const withoutNode = ['ChainEventEdge', 'PayerConsentEdge'];

/** Lists that are read in one direction, from `first` and `after`: events of the chains, as they happened or the newest first. */
const forwardOnly = ['PaymentIntent.chainEvents', 'Query.escrowEvents', 'Transaction.chainEvents'];

type Place = { type: ObjectTypeDefinitionNode; field: FieldDefinitionNode | undefined };
type Finding = { rule: string; name: string; message: string };

const types = parse(text).definitions.filter((node) => node.kind === Kind.OBJECT_TYPE_DEFINITION);

function placeAt(line: number): Place {
  const isAround = ({ loc }: { loc?: { startToken: { line: number }; endToken: { line: number } } | undefined }) =>
    loc !== undefined && loc.startToken.line <= line && line <= loc.endToken.line;
  const type = types.find(isAround);
  if (!type) throw new Error(`No type is defined at line ${line}.`);
  return { type, field: type.fields?.find(isAround) };
}

async function findings(): Promise<Finding[]> {
  // Its types are for another version of ESLint.
  const plugin = createRequire(import.meta.url)('@graphql-eslint/eslint-plugin');
  const names = ['relay-arguments', 'relay-connection-types', 'relay-edge-types', 'relay-page-info'];
  const eslint = new ESLint({
    overrideConfigFile: true,
    overrideConfig: [
      {
        files: ['**/*.graphql'],
        languageOptions: { parser: plugin.parser, parserOptions: { graphQLConfig: { schema: file } } },
        plugins: { relay: plugin },
        rules: Object.fromEntries(names.map((name) => [`relay/${name}`, 'error'])),
      },
    ],
  });
  const [result] = await eslint.lintText(text, { filePath: file });
  return (result?.messages ?? []).map(({ ruleId, line, message }) => {
    const { type, field } = placeAt(line);
    return { rule: String(ruleId), name: field ? `${type.name.value}.${field.name.value}` : type.name.value, message };
  });
}

/** Whether the rows of a list are composite: a list of numbers or texts is a value. */
function isOfObjects({ name }: Finding): boolean {
  const [typeName, fieldName] = name.split('.');
  const field = types.find((type) => type.name.value === typeName)?.fields?.find((one) => one.name.value === fieldName);
  let node = field?.type;
  while (node !== undefined && node.kind !== Kind.NAMED_TYPE) node = node.type;
  return types.some((type) => type.name.value === node?.name.value);
}

function hasConnection({ name }: Finding): boolean {
  const [typeName, fieldName] = name.split('.');
  const fields = types.find((type) => type.name.value === typeName)?.fields ?? [];
  return fields.some((field) => field.name.value === `${fieldName}Connection`);
}

test('the rules find only the named exceptions', async () => {
  const found = await findings();
  const lists = found.filter(({ message }) => message === 'A list type should only wrap an edge type.');
  const unpaged = lists
    .filter(isOfObjects)
    .filter((list) => !hasConnection(list) && !/Connection\.nodes$/.test(list.name))
    .map(({ name }) => name);
  expect(unpaged.sort()).toEqual(Object.values(bounded).flat().sort());

  const others = found.filter((finding) => !lists.includes(finding));
  const suffixes = others.filter(({ message }) => message === 'Connection type must have `Connection` suffix.');
  expect(suffixes.map(({ name }) => name)).toEqual(publishedNames);
  const nodes = others.filter(({ message }) => message.endsWith('must implement `Node` interface.'));
  expect(nodes.map(({ name }) => name)).toEqual(withoutNode);
  const forwards = others.filter(({ message }) => /must contain an argument `(last|before)`/.test(message));
  expect([...new Set(forwards.map(({ name }) => name))]).toEqual(forwardOnly);
  const named = [...suffixes, ...nodes, ...forwards];
  expect(others.filter((finding) => !named.includes(finding))).toEqual([]);
});
