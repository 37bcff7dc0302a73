/** Requests that Node's own parser refuses before the application receives them. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi({
  environment: { REQUEST_HEAD_LIMIT_BYTES: '8192', REQUEST_HEAD_TIMEOUT_SECONDS: '1', REQUEST_TIMEOUT_SECONDS: '2' },
});

/** Sends `text` and nothing else, and returns what the server sends until it closes. */
function send(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answered = '';
    const socket = connect(api.running.port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answered += chunk;
    });
    socket.on('close', () => resolve(answered)).on('error', reject);
  });
}

const head = (path: string, headers: string[] = []) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;

test.each([
  ['a head over the limit', 431, 'Request Header Fields Too Large', head('/', [`x-padding: ${'x'.repeat(9_000)}`])],
  ['a path over the limit', 431, 'Request Header Fields Too Large', head(`/${'x'.repeat(9_000)}`)],
  ['no HTTP', 400, 'Bad Request', 'hello\r\n\r\n'],
  ['a header without a name', 400, 'Bad Request', head('/', [': nothing'])],
  ['two lengths', 400, 'Bad Request', head('/', ['content-length: 1', 'transfer-encoding: chunked'])],
  ['a head that does not end', 408, 'Request Timeout', 'GET / HTTP/1.1\r\nHost: localhost\r\n'],
  [
    'a body that does not end',
    408,
    'Request Timeout',
    `POST /payments/intents HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${api.merchantA.secretKey}\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{`,
  ],
  [
    'extensions of chunks over what is sensible',
    413,
    'Payload Too Large',
    `POST /graphql HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  ],
])('%s returns %i with an error object and closes the connection', async (_name, status, reason, text) => {
  const [first = '', body = ''] = (await send(text)).split('\r\n\r\n', 2);
  const [line, ...headers] = first.split('\r\n');
  expect(line).toBe(`HTTP/1.1 ${status} ${reason}`);
  expect(headers).toEqual(
    expect.arrayContaining([
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'cache-control: no-store',
      'connection: close',
    ]),
  );
  const { success, error } = JSON.parse(body);
  expect([success, error.code]).toEqual([false, status === 413 ? 'PAYLOAD_TOO_LARGE' : 'VALIDATION_ERROR']);
  expect(headers).toContain(`x-request-id: ${error.requestId}`);
});

test('a request header section below the limit is accepted', async () => {
  const { status } = await api.rest('GET', `/payments/intents?x=${'y'.repeat(6_000)}`);
  expect(status).toBe(401);
});

test('a request that is answered before its body has ended gets only one response', async () => {
  const answered = await new Promise<string>((resolve, reject) => {
    let text = '';
    // Without a credential, the server does not wait for the body.
    const request =
      'POST /payments/intents HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{';
    const socket = connect(api.running.port, '127.0.0.1', () => socket.write(request));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      socket.end();
    });
    socket.on('close', () => resolve(text)).on('error', reject);
  });
  expect(answered.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401']);
});
