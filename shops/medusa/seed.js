/** What a shop needs before its first order: run by `medusa exec`. Writes the keys and ids that the test uses into SEED_FILE. */
import { writeFileSync } from 'node:fs';
import {
  createApiKeysWorkflow,
  createProductsWorkflow,
  createRegionsWorkflow,
  createSalesChannelsWorkflow,
  linkSalesChannelsToApiKeyWorkflow,
} from '@medusajs/medusa/core-flows';

export default async function seed({ container }) {
  const run = async (workflow, input) => (await workflow(container).run({ input })).result;
  const [channel] = await run(createSalesChannelsWorkflow, { salesChannelsData: [{ name: 'Storefront' }] });
  const [region] = await run(createRegionsWorkflow, {
    regions: [
      {
        name: 'United States',
        currency_code: 'usd',
        countries: ['us'],
        payment_providers: ['pp_sluice_held', 'pp_sluice_direct'],
      },
    ],
  });
  const [publishable, secret] = await run(createApiKeysWorkflow, {
    api_keys: [
      { title: 'Storefront', type: 'publishable', created_by: '' },
      { title: 'Administration', type: 'secret', created_by: '' },
    ],
  });
  await run(linkSalesChannelsToApiKeyWorkflow, { id: publishable.id, add: [channel.id] });
  // Without a shipping profile, nothing has to be shipped.
  const [product] = await run(createProductsWorkflow, {
    products: [
      {
        title: 'Tea',
        status: 'published',
        options: [{ title: 'Size', values: ['100 g'] }],
        variants: [
          {
            title: '100 g',
            options: { Size: '100 g' },
            manage_inventory: false,
            prices: [{ amount: 9.99, currency_code: 'usd' }],
          },
        ],
        sales_channels: [{ id: channel.id }],
      },
    ],
  });
  writeFileSync(
    process.env.SEED_FILE,
    JSON.stringify({
      publishableKey: publishable.token,
      secretKey: secret.token,
      regionId: region.id,
      variantId: product.variants[0].id,
    }),
  );
}
