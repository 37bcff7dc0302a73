/** Valid but unusual HTTP requests, for which Node's own responses do not have the shape of our errors. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi();

/** Returns what is received over a socket until it is closed. */
function exchange(lines: string[]): Promise<{ status: number; text: string; body: string }> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.once('error', reject);
    socket.once('close', () =>
      resolve({ status: Number(text.slice(9, 12)), text, body: text.split('\r\n\r\n').slice(1).join('\r\n\r\n') }),
    );
  });
}

test('an unknown expectation is ignored', async () => {
  const { status, text } = await exchange([
    'GET /healthz HTTP/1.1',
    'Host: a',
    'Connection: close',
    'Expect: miracles',
  ]);
  expect(status).toBe(200);
  expect(text).toMatch(/x-request-id: /);
});

test('an upgrade to an unsupported protocol or path is ignored', async () => {
  const upgrade = (path: string, protocol: string) =>
    exchange([`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: Upgrade, close', `Upgrade: ${protocol}`]);
  expect((await upgrade('/healthz', 'h2c')).status).toBe(200);
  expect((await upgrade('/graphql?query=%7Bviewer%7Bkind%7D%7D', 'h2c')).status).toBe(200);
  expect((await upgrade('/payments/intents', 'websocket')).status).toBe(401);
  expect((await upgrade('/nothing', 'websocket')).status).toBe(404);
});

test('an invalid websocket handshake returns 400 with an error object', async () => {
  const lines = ['GET /graphql HTTP/1.1', 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket'];
  for (const more of [
    ['Sec-WebSocket-Version: 13'],
    ['Sec-WebSocket-Version: 7', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='],
  ]) {
    const { status, text, body } = await exchange([...lines, ...more]);
    expect(status).toBe(400);
    expect(text).toMatch(/x-request-id: /);
    expect(JSON.parse(body)).toMatchObject({ success: false, error: { code: 'VALIDATION_ERROR' } });
  }
});

test('a request without a Host header returns 400 with an error object', async () => {
  const { status, text, body } = await exchange(['GET /healthz HTTP/1.1', 'Connection: close']);
  expect(status).toBe(400);
  expect(text).toMatch(/x-request-id: /);
  expect(JSON.parse(body)).toMatchObject({ success: false, error: { code: 'VALIDATION_ERROR' } });
  expect((await exchange(['GET /healthz HTTP/1.0'])).status).toBe(200);
});
