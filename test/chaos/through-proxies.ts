/**
 * Loaded into every process of the installation in a chaos run (`NODE_OPTIONS=--import=…`). Makes the parts of the gateway connect to their
 * nodes and database through the proxies. `npm start` and the wallets still connect directly.
 */
if (/[\\/]src[\\/]main\.ts$/.test(process.argv[1] ?? '')) {
  const { CHAOS_NODES, CHAOS_DATABASE_PORT, DATABASE_URL } = process.env;
  const nodes: Record<string, string> = JSON.parse(CHAOS_NODES ?? '{}');
  for (const [chainId, url] of Object.entries(nodes)) process.env[`RPC_URL_${chainId}`] = url;
  if (CHAOS_DATABASE_PORT && DATABASE_URL) {
    const url = new URL(DATABASE_URL);
    url.port = CHAOS_DATABASE_PORT;
    process.env.DATABASE_URL = url.href;
  }
}
