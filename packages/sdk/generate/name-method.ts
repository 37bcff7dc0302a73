/**
 * The place of an operation in the client: `createPaymentIntent` with the tag "Payment intents" is
 * `sluice.paymentIntents.create`. Rules name new operations, so that nothing has to be added here for them.
 */
import type { Operation } from './openapi-document.ts';

export type MethodName = { resource: string; method: string };

/** `webhooks` itself verifies deliveries; webhook endpoints are a separate resource. */
const resourceNames: Record<string, string> = { Webhooks: 'webhookEndpoints', Coupons: 'coupons' };

/** Names that read better than those that the rules produce. */
const methodNames: Record<string, string> = {
  getBalances: 'batch',
  startLinkCheckout: 'startCheckout',
  redeliverWebhook: 'redeliver',
  disputePaymentIntent: 'dispute',
};

export function nameMethod(operation: Operation): MethodName {
  const tag = operation.tags[0] ?? 'Other';
  const resource = resourceNames[tag] ?? camel(tag.split(' '));
  return { resource, method: methodNames[operation.operationId] ?? byRules(operation.operationId, tag) };
}

/** The singular of a path segment that names a collection: `productPlan` for `product-plans`. */
export function singular(segment: string): string {
  return camel(withoutPlural(segment).split(/[- ]/));
}

/** The operation's id without the words of its tag: `createProductPlanPrice` of "Product plans" is `createPrice`. */
function byRules(operationId: string, tag: string): string {
  const plural = pascal(tag.split(' '));
  const one = withoutPlural(plural);
  const nouns = [plural, one, ...(tag === 'Webhooks' ? ['WebhookEndpoints', 'WebhookEndpoint'] : [])];
  if (tag === 'Checkout sessions') nouns.push('Checkout');
  nouns.sort((left, right) => right.length - left.length);
  for (const noun of nouns) {
    if (!operationId.includes(noun)) continue;
    const rest = operationId.replace(noun, '');
    return tag === 'Reports' ? lowerFirst(rest.replace(/^read/, '')) : rest;
  }
  return operationId;
}

function withoutPlural(word: string): string {
  return word
    .replace(/ies$/, 'y')
    .replace(/(ch|sh|x|ss)es$/, '$1')
    .replace(/([^s])s$/, '$1');
}

function pascal(words: string[]): string {
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function camel(words: string[]): string {
  return lowerFirst(pascal(words));
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
