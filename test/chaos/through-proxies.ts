/**
 * Loaded into every process of an installation under chaos (`NODE_OPTIONS=--import=…`). The parts of the gateway then
 * reach their nodes and their database through the proxies, and nothing else does: not `npm start`, nor the wallets.
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
