import { readFileSync } from 'node:fs';
import { defineConfig, type MarkdownOptions } from 'vitepress';

const sidebar = JSON.parse(readFileSync(new URL('./navigation.json', import.meta.url), 'utf8'));

/**
 * A table in Markdown has a head even where its columns need no names. A cell that names nothing is no header, and a head without any name is
 * left out.
 */
const withoutEmptyHeaders: MarkdownOptions['config'] = (md) => {
  md.core.ruler.push('empty_headers', ({ tokens }) => {
    const isNamed = (from: number, to: number) =>
      tokens.slice(from, to).some(({ type, content }) => type === 'inline' && content);
    for (let at = tokens.length - 1; at >= 0; at -= 1) {
      if (tokens[at]?.type === 'th_open' && !isNamed(at, at + 2)) {
        for (const index of [at, at + 2]) if (tokens[index]) tokens[index].tag = 'td';
      }
      if (tokens[at]?.type !== 'thead_open') continue;
      const end = tokens.findIndex(({ type }, index) => index > at && type === 'thead_close');
      if (!isNamed(at, end)) tokens.splice(at, end - at + 1);
    }
  });
};

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
  markdown: {
    attrs: { disable: false },
    // Comments in the usual themes are too pale to be read by everyone.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: withoutEmptyHeaders,
  },
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
