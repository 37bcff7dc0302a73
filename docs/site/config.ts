import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const sidebar = JSON.parse(readFileSync(new URL('./navigation.json', import.meta.url), 'utf8'));

export default defineConfig({
  title: 'Sluice',
  description: 'The payment gateway that merchants run themselves.',
  lang: 'en-US',
  base: '/docs/',
  cleanUrls: true,
  metaChunk: true,
  lastUpdated: false,
  // Pages are served under a content security policy that allows no other host.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: { attrs: { disable: false } },
  themeConfig: {
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    nav: [
      { text: 'Quickstart', link: '/quickstart' },
      { text: 'REST', link: '/reference/rest/payment-intents' },
      { text: 'GraphQL', link: '/reference/graphql/queries' },
      { text: 'Try the API', link: '/docs/api', target: '_self' },
    ],
  },
});
