import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** GraphiQL brings fonts as data: URLs, which the policy refuses: it speaks in ours. */
const withoutFonts: Plugin = {
  name: 'without-fonts',
  enforce: 'pre',
  transform: (code, id) =>
    /\/graphiql\/.*\.css$/.test(id) ? { code: code.replace(/@font-face\s*\{[^}]*\}/g, ''), map: null } : undefined,
};

/**
 * The API serves what this leaves in `generated/web` and makes the HTML around it from the manifest. `build.ts` chooses the pages of each
 * run.
 */
export default defineConfig({
  root: here('.'),
  base: '/assets/',
  publicDir: false,
  plugins: [react(), withoutFonts],
  resolve: {
    alias: [
      { find: /^graphql$/, replacement: here('../node_modules/graphql/index.mjs') },
      // WalletConnect's own dialogue is not used, we show its code ourselves: this would be a megabyte of nothing.
      { find: /^@reown\/appkit(\/.*)?$/, replacement: here('src/wallet/no-dialogue.ts') },
      // GraphiQL's menus and dialogues write a style element, which the content security policy refuses.
      { find: /^react-style-singleton$/, replacement: here('src/ui/overlays/adopted-styles.ts') },
    ],
  },
  build: {
    outDir: here('../generated/web/assets'),
    assetsDir: '',
    // As files, never as data: URLs, which the content security policy does not take for fonts and scripts.
    assetsInlineLimit: 0,
    emptyOutDir: true,
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    target: 'es2022',
    sourcemap: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4_000,
  },
});
