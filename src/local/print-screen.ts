import { join } from 'node:path';
import { DEMO_OWNER } from './demo-file.ts';
import type { Installation } from './start-installation.ts';

/** Prints the summary at the end of `npm start`: the addresses of everything and what to try next. */
export function printScreen(installation: Installation & { seconds: number }): void {
  const { settings, nodes, demo, demoFile } = installation;
  const origin = `http://127.0.0.1:${settings.port}`;
  const rows: [string, string][] = [
    ['Dashboard', `${origin}/dashboard`],
    ['Payers', `${origin}/pay  (and /link/:slug, /checkout/:id)`],
    ['REST', origin],
    ['GraphQL', `${origin}/graphql  (HTTP, SSE, graphql-ws)`],
    ['Card API', `${origin}/v1`],
    ['OpenAPI', `${origin}/openapi.json  ${origin}/v1/openapi.json`],
    ['Health', `${origin}/readyz  ${origin}/metrics`],
    ['Postgres', installation.databaseUrl],
    ...nodes.map((node): [string, string] => [`Chain ${node.chainId}`, node.rpcUrl]),
  ];
  if (installation.solana) rows.push(['Solana 103', `${installation.solana.rpcUrl}  ${installation.solana.wsUrl}`]);
  if (installation.sui) rows.push(['Sui 786', `${installation.sui.url}  (balances only)`]);
  if (demo) {
    rows.push(
      ['Escrow', `${demo.chains[0]?.escrow ?? ''}  (on every chain)`],
      ['Demo app', demo.appId],
      ['Secret key', demo.secretKey],
      ['Public key', demo.publishableKey],
      ['Member', `${DEMO_OWNER}, whose login codes are in the logs in ${join(settings.folder, 'logs')}`],
      ['Wallets', `${demo.payers.length}, with gas and tokens; their keys are in ${demoFile}`],
    );
  }
  rows.push(
    ['Parts', installation.parts.map((part) => `${part.name} (process ${part.pid() ?? '–'})`).join(', ')],
    ['Logs', join(settings.folder, 'logs')],
  );
  const lines = rows.map(([name, value]) => `  ${name.padEnd(12)} ${value}`);
  const next = demo ? '\n\n  Try it in another shell:  npm run demo' : '';
  console.log(
    `\nSluice runs, after ${installation.seconds.toFixed(1)} s. Press Ctrl-C to stop it. The next start keeps all data.\n\n${lines.join('\n')}${next}\n`,
  );
}
