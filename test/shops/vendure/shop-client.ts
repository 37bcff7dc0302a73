/** What a storefront and an administrator do, by HTTP. */
import { z } from 'zod';

const answerSchema = z.object({ data: z.record(z.string(), z.any()).nullish(), errors: z.array(z.any()).optional() });

type Variables = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it asked for.
export type GraphqlCall = (document: string, variables?: Variables) => Promise<Record<string, any>>;

/** A visitor or an administrator: the token of the first response is sent with the next requests. */
export function openSession(url: string, path: 'shop-api' | 'admin-api'): GraphqlCall {
  let token: string | null = null;
  return async (query, variables = {}) => {
    const response = await fetch(`${url}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify({ query, variables }),
    });
    token = response.headers.get('vendure-auth-token') ?? token;
    const { data, errors } = answerSchema.parse(await response.json());
    if (errors) throw new Error(errors.map((error) => error.message).join('\n'));
    return data ?? {};
  };
}

export async function openAdmin(url: string): Promise<GraphqlCall> {
  const admin = openSession(url, 'admin-api');
  await admin(`mutation { login(username: "superadmin", password: "superadmin") { __typename } }`);
  return admin;
}

const ERROR = '... on ErrorResult { errorCode message }';

/** A visitor with an order of `quantity` teas, which waits for its payment. */
export async function fillOrder(url: string, quantity: number) {
  const visitor = openSession(url, 'shop-api');
  const { products } = await visitor('{ products { items { variants { id } } } }');
  await visitor(
    `mutation ($id: ID!, $quantity: Int!) { addItemToOrder(productVariantId: $id, quantity: $quantity) { __typename ${ERROR} } }`,
    {
      id: products.items[0].variants[0].id,
      quantity,
    },
  );
  await visitor(
    `mutation ($email: String!) {
    setCustomerForOrder(input: { firstName: "Ada", lastName: "Byron", emailAddress: $email }) { __typename ${ERROR} }
  }`,
    { email: `${crypto.randomUUID()}@shop.example` },
  );
  await visitor(
    `mutation { setOrderShippingAddress(input: { streetLine1: "Main Street 1", city: "Berlin", countryCode: "DE" }) { __typename ${ERROR} } }`,
  );
  const { eligibleShippingMethods } = await visitor('{ eligibleShippingMethods { id } }');
  await visitor(`mutation ($ids: [ID!]!) { setOrderShippingMethod(shippingMethodId: $ids) { __typename ${ERROR} } }`, {
    ids: [eligibleShippingMethods[0].id],
  });
  const { transitionOrderToState: order } = await visitor(
    'mutation { transitionOrderToState(state: "ArrangingPayment") { __typename ... on Order { id code totalWithTax state } ... on OrderStateTransitionError { transitionError } } }',
  );
  if (order.state !== 'ArrangingPayment') throw new Error(JSON.stringify(order));
  return { visitor, id: String(order.id), code: String(order.code), total: BigInt(order.totalWithTax) };
}

export async function startCheckout(visitor: GraphqlCall, paymentMethodCode?: string) {
  const { createSluiceCheckout } = await visitor(
    `mutation ($code: String) { createSluiceCheckout(paymentMethodCode: $code) {
      __typename
      ... on SluiceCheckout { paymentIntentId sessionId url clientSecret amount currencyCode expiresAt }
      ... on SluiceCheckoutError { errorCode message reason }
    } }`,
    { code: paymentMethodCode },
  );
  return createSluiceCheckout;
}

/** As an administrator sees it. */
export async function readOrder(admin: GraphqlCall, id: string) {
  const { order } = await admin(
    `query ($id: ID!) { order(id: $id) {
      state active totalWithTax customFields { sluicePaymentIntentId }
      payments { id state amount method transactionId metadata refunds { id state total transactionId metadata } }
      history { items { type data } }
    } }`,
    { id },
  );
  return order;
}
