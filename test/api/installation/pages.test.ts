/** The pages that the API serves: their HTML, content security policy and files. */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadBuiltPages } from '../../../src/api/pages/built-pages.ts';
import { servePages } from '../../../src/api/pages/serve-pages.ts';
import { loadRegistry } from '../../../src/chains/registry.ts';
import { parseConfig } from '../../../src/config/config.ts';

const config = parseConfig({
  DATABASE_URL: 'postgresql://localhost/nothing',
  PUBLIC_URL: 'https://pay.example',
  RPC_URL_1: 'https://node.example/secret-key',
  RPC_URL_8453: 'https://base.example/secret-key',
  PUBLIC_RPC_URL_8453: 'https://public.base.example/v1',
});
const world = { config, registry: loadRegistry({ rpc: config.rpc }) };

const servers: Server[] = [];
let url: string;

beforeAll(async () => {
  url = await serve(world);
});

afterAll(() => {
  for (const server of servers) server.close();
});

async function serve(of: typeof world): Promise<string> {
  const handle = servePages(of);
  const server = createServer(async (request, response) => {
    if (!(await handle(request, response))) response.writeHead(404).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

describe('a page', () => {
  it.each([
    ['/link/coffee', 'checkout'],
    ['/checkout/0190e3a6-0000-7000-8000-000000000000', 'checkout'],
    ['/pay', 'payer'],
    ['/pay/0x00000000000000000000000000000000000000aa', 'payer'],
    ['/dashboard', 'dashboard'],
    ['/arbiter', 'arbiter'],
    ['/arbiter/1', 'arbiter'],
    ['/dashboard/payments/1', 'dashboard'],
  ])('at %s is served and loads the scripts of %s', async (path, page) => {
    const answer = await fetch(`${url}${path}`);
    const html = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const script = /<script type="module" src="(\/assets\/[^"]+)"/.exec(html)?.[1] ?? '';
    expect(script).toContain(`/assets/${page}-`);
    const file = await fetch(`${url}${script}`);
    expect(file.status).toBe(200);
    expect(file.headers.get('cache-control')).toContain('immutable');
    expect(file.headers.get('content-encoding')).toMatch(/^(br|gzip)$/);
  });

  it('may load only its own files, and may connect to the nodes configured for browsers', async () => {
    const policy = (await fetch(`${url}/link/x`)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("connect-src 'self' wss://pay.example https://public.base.example;");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toContain('walletconnect');
    const paired = { ...world, config: { ...config, walletConnectProjectId: 'ab'.repeat(16) } };
    const { pagePolicy } = await import('../../../src/api/pages/page-policy.ts');
    expect(pagePolicy(paired, 'checkout')).toContain('wss://*.walletconnect.com');
    expect(pagePolicy(paired, 'dashboard')).toContain("connect-src 'self' wss://pay.example;");
  });

  it('does not reveal the URLs of the server’s own nodes', async () => {
    const html = await (await fetch(`${url}/checkout/x`)).text();
    expect(html).not.toContain('secret-key');
    const settings = /<script type="application\/json" id="settings">(.*)<\/script>/.exec(html)?.[1] ?? '';
    const { chains } = JSON.parse(settings);
    expect(chains.map((chain: { chainId: number; nodeUrl: string | null }) => [chain.chainId, chain.nodeUrl])).toEqual([
      [1, null],
      [8453, 'https://public.base.example/v1'],
    ]);
  });

  it('returns 404 for other methods, paths and files', async () => {
    for (const path of ['/link', '/link/a/b', '/checkout', '/dashboards', '/assets/none.js', '/assets/../package.json'])
      expect((await fetch(`${url}${path}`)).status, path).toBe(404);
    expect((await fetch(`${url}/link/x`, { method: 'POST' })).status).toBe(404);
    const head = await fetch(`${url}/link/x`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('at /graphql is GraphiQL for browsers, loaded without external files', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const answer = await fetch(`${url}/graphql`, { headers });
    const html = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect([answer.headers.get('cache-control'), answer.headers.get('vary')]).toEqual(['no-store', 'accept']);
    expect(html).toMatch(/<script type="module" src="\/assets\/graphiql-[^"]+">/);
    expect(
      [...html.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].filter(([, to]) => !to?.startsWith('/assets/')),
    ).toEqual([]);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("connect-src 'self' wss://pay.example;");
    expect(policy).not.toContain('unsafe');
    expect((await fetch(`${url}/graphql`, { method: 'HEAD', headers })).status).toBe(200);
    for (const call of [{}, { headers: { accept: 'application/json' } }, { method: 'POST', headers }])
      expect((await fetch(`${url}/graphql`, call)).status).toBe(404);
  });

  it('at / is the start page, only for browsers', async () => {
    const answer = await fetch(`${url}/`, { headers: { accept: 'text/html' } });
    expect([answer.status, answer.headers.get('vary')]).toEqual([200, 'accept']);
    expect(await answer.text()).toMatch(/<script type="module" src="\/assets\/start-[^"]+">/);
    expect((await fetch(`${url}/`)).status).toBe(404);
    expect((await fetch(`${url}/`, { method: 'POST', headers: { accept: 'text/html' } })).status).toBe(404);
  });

  it('at /graphql redirects to the editor in the dashboard in production', async () => {
    const production = await serve({ ...world, config: { ...config, isProduction: true } });
    const answer = await fetch(`${production}/graphql`, { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard/developers?tab=graphql']);
    expect([answer.headers.get('cache-control'), answer.headers.get('vary')]).toEqual(['no-store', 'accept']);
  });

  it.each(['checkout', 'payer'] as const)('loads WalletConnect on demand, and not with %s', (page) => {
    const built = loadBuiltPages();
    const relays = (file: string) => built?.files.get(file)?.plain.includes('relay.walletconnect') ?? false;
    expect([...(built?.files.keys() ?? [])].some(relays)).toBe(true);
    expect(built?.firstFiles(page).scripts.filter(relays)).toEqual([]);
  });

  it('is unavailable if it was not built', async () => {
    expect(loadBuiltPages('/nowhere')).toBeUndefined();
  });
});
