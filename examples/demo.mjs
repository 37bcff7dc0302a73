/**
 * What `npm start` wrote about its demo merchant, for the examples beside this file. For an installation of your own, read the address and the
 * key from your server's configuration instead.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../.local/', import.meta.url);

/** Ends the process with a sentence if there is no demo merchant yet. */
export function readDemo() {
  try {
    return JSON.parse(readFileSync(new URL('demo.json', folder), 'utf8'));
  } catch {
    console.error(
      `There is no ${fileURLToPath(new URL('demo.json', folder))}. Run "npm start" in another shell first.`,
    );
    process.exit(1);
  }
}

/** Where an example keeps its data: beside that of the installation, so that both are deleted together. */
export function dataFile(name) {
  return fileURLToPath(new URL(name, folder));
}

/**
 * The secret of the webhook endpoint with this address. A secret is shown only once, so a running example asks for a new one. A real server
 * has its endpoint created once, in the dashboard, and reads the secret from its configuration.
 */
export async function endpointSecret(sluice, { appId, url }) {
  const endpoints = await sluice.webhookEndpoints.list(appId);
  const known = endpoints.find((endpoint) => endpoint.url === url);
  if (known) return (await sluice.webhookEndpoints.rotateSecret(appId, known.id)).secret;
  return (await sluice.webhookEndpoints.create(appId, { url, events: ['*'] })).secret;
}

/** Listens on this machine only, and ends the process with a sentence if the port is in use. */
export function listen(server, { port, variable }) {
  server.on('error', (error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    console.error(`Port ${port} is in use. Choose another one: ${variable}=<port> node …`);
    process.exit(1);
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
}
