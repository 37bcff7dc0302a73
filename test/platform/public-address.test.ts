import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchBytes } from '../../src/platform/outbound/fetch-bytes.ts';
import { postJson } from '../../src/platform/outbound/post-json.ts';
import { isPublicAddress } from '../../src/platform/outbound/public-address.ts';

describe('a public address', () => {
  it.each(['8.8.8.8', '1.1.1.1', '2606:4700::1111', '::ffff:8.8.8.8'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    'localhost',
    '',
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('a post to an external host', () => {
  const server = createServer((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { location: '/' }).end();
    else if (request.url === '/long') response.end('x'.repeat(1_000_000));
    else if (request.url !== '/silent') response.end('ok');
  });
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const post = (path: string, options: { host?: string; privateAddresses?: boolean; timeoutMs?: number } = {}) =>
    postJson({
      url: `http://${options.host ?? '127.0.0.1'}:${port}${path}`,
      body: '{}',
      headers: {},
      timeoutMs: options.timeoutMs ?? 10_000,
      keptBytes: 1024,
      privateAddresses: options.privateAddresses ?? true,
    });

  it('returns the status and the body', async () => {
    expect(await post('/')).toMatchObject({ status: 200, body: 'ok' });
  });

  it('does not follow a redirect', async () => {
    expect(await post('/moved')).toMatchObject({ status: 302 });
  });

  it('keeps the first bytes of a long response', async () => {
    expect((await post('/long')).body).toHaveLength(1024);
  });

  it('fails at once if the receiver changes the protocol', async () => {
    const switching = createTcpServer((socket) =>
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      ),
    );
    await new Promise<void>((resolve) => switching.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(switching.address() as AddressInfo).port}/`;
    const limits = { timeoutMs: 2_000, privateAddresses: true };
    await expect(postJson({ url, body: '{}', headers: {}, keptBytes: 10, ...limits })).rejects.toThrow('protocol');
    await expect(fetchBytes({ url, accept: '*/*', maxBytes: 10, maxRedirects: 0, ...limits })).rejects.toThrow(
      'protocol',
    );
    switching.close();
  });

  it('fails if the receiver does not respond in time', async () => {
    await expect(post('/silent', { timeoutMs: 50 })).rejects.toThrow();
  });

  it.each(['127.0.0.1', 'localhost', '[::1]', '2130706433', '0x7f.1'])('is not sent to %s', async (host) => {
    await expect(post('/', { host, privateAddresses: false })).rejects.toMatchObject({ name: 'PrivateAddressError' });
  });
});
