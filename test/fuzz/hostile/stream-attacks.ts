/** Streams that are not HTTP, declare a wrong length, or never end. `{{secret}}` is replaced with a secret key. */
import fc, { type Arbitrary } from 'fast-check';
import type { StreamAttack } from './attack.ts';

const GET = 'GET /healthz HTTP/1.1\r\nHost: a\r\n';
const LAST = `${GET}Connection: close\r\n\r\n`;
const POST = 'POST /payments/intents HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
const KEYED = `${POST}X-Api-Key: {{secret}}\r\n`;
const ASKED = 'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
const UPGRADE = 'GET /graphql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
const SOCKET = `${UPGRADE}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`;

type Expected = Partial<Pick<StreamAttack, 'ends' | 'answers' | 'status' | 'flood'>>;

function stream(kind: string, bytes: string, expected: Expected = {}): StreamAttack {
  return { over: 'socket', kind, bytes, ends: false, answers: [1, 1], ...expected };
}

const brokenHeads = [
  ...[
    'GET\r\n\r\n',
    'GET / HTTP/9.9\r\nHost: a\r\n\r\n',
    'get / HTTP/1.1\r\nHost: a\r\n\r\n',
    'G\u0000T / HTTP/1.1\r\n\r\n',
    ' / \r\n\r\n',
  ],
  ...[
    'GET / HTTP/1.1 x\r\nHost: a\r\n\r\n',
    'GET  / HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /\u0001 HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET / FTP/1.1\r\n\r\n',
  ],
  ...[
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'SSH-2.0-x\r\n',
    'EHLO a\r\n',
    '*1\r\n$4\r\nPING\r\n',
  ],
  ...['Host', 'Host : a', ': a', 'H\u00f6st: a', 'Host: a\u0000b', 'Host: a\rb', ' Host: a', 'X: y\r\n folded'].map(
    (header) => `GET / HTTP/1.1\r\n${header}\r\n\r\n`,
  ),
  ...[
    'Content-Length: 1\r\nContent-Length: 2',
    'Content-Length: -1',
    'Content-Length: 0x1',
    'Content-Length: +1',
    'Content-Length: 1,1',
    'Content-Length: 99999999999999999999',
    'Content-Length: ',
    'Transfer-Encoding: chunked\r\nContent-Length: 4',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: chunked, gzip',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  ].map((lie) => `${POST}${lie}\r\n\r\n`),
].map((bytes) => stream('a broken head', bytes, { ends: true, answers: [1, 1] }));

const brokenBodies = [
  'zz\r\n',
  '-1\r\n',
  'fffffffffffffffff\r\n',
  '1\r\nab\r\n',
  '5\r\nab',
  '0\r\nX',
  '\r\n',
  `1;${'e'.repeat(30_000)}\r\na\r\n0\r\n\r\n`,
  '0x1\r\na\r\n',
  '2\n{}\n0\n\n',
].flatMap((chunks) =>
  [POST, KEYED, ASKED].map((head) =>
    stream('a broken chunk', `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}`, { ends: true, answers: [1, 2] }),
  ),
);

/** The server may respond before it reads the body, so closing the connection is also correct. */
const lies = [POST, KEYED, ASKED].flatMap((head) => [
  stream('a body that is shorter than it says', `${head}Content-Length: 50\r\n\r\n{"amount":`, {
    ends: true,
    answers: [0, 1],
  }),
  stream('a body that is longer than it says', `${head}Content-Length: 2\r\n\r\n{}{"amount":"1"}${LAST}`, {
    ends: true,
    answers: [1, 2],
  }),
  stream('a body that is declared too large', `${head}Content-Length: 99999999\r\n\r\n{}`, {
    ends: true,
    answers: [1, 2],
  }),
  stream('a request in a body', `${head}Content-Length: ${LAST.length}\r\n\r\n${LAST}${LAST}`, { answers: [1, 2] }),
]);

const endless = [
  ...[POST, KEYED, ASKED].map((head) =>
    stream('chunks without end', `${head}Transfer-Encoding: chunked\r\n\r\n`, {
      flood: { piece: `10000\r\n${' '.repeat(0x10000)}\r\n`, times: 128 },
    }),
  ),
  ...[POST, ASKED].map((head) =>
    stream('small chunks without end', `${head}Transfer-Encoding: chunked\r\n\r\n`, {
      flood: { piece: '1\r\n \r\n'.repeat(10_000), times: 300 },
    }),
  ),
  stream('headers without end', GET, { flood: { piece: 'x-stranger: y\r\n'.repeat(500), times: 40 }, status: 431 }),
  stream('a target without end', 'GET /', { flood: { piece: 'a'.repeat(8_192), times: 40 }, status: 431 }),
  stream('a value without end', `${GET}x: `, { flood: { piece: 'a'.repeat(8_192), times: 40 }, status: 431 }),
  stream('trailers without end', `${ASKED}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n`, {
    flood: { piece: 'x-stranger: y\r\n'.repeat(500), times: 40 },
    answers: [0, 2],
  }),
  stream('line ends without end', '', {
    flood: { piece: '\r\n'.repeat(4_000), times: 40 },
    ends: true,
    answers: [0, 1],
  }),
];

const upgrades = [
  stream('an upgrade without a key', `${UPGRADE}Sec-WebSocket-Version: 13\r\n\r\n`),
  stream(
    'an upgrade of another version',
    `${UPGRADE}Sec-WebSocket-Version: 7\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  ),
  stream('an upgrade to nothing', UPGRADE.replace('/graphql', '/nothing').concat('\r\n'), { answers: [0, 1] }),
  stream(
    'an upgrade to HTTP/2',
    `${GET}Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n`,
  ),
  stream('a tunnel', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n', { answers: [0, 1] }),
  stream('an expectation', `${GET}Connection: close\r\nExpect: miracles\r\n\r\n`),
  stream('an expectation of a body', `${POST}Connection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`),
  stream('no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'),
];

/** Frames that violate the websocket protocol, after a valid upgrade. */
const brokenFrames = [
  ...[
    '\u0081\u0005hello',
    '\u0083\u0080\u0000\u0000\u0000\u0000',
    '\u008b\u0080\u0000\u0000\u0000\u0000',
    '\u00f1\u0080\u0000\u0000\u0000\u0000',
  ],
  ...[
    '\u0080\u0080\u0000\u0000\u0000\u0000',
    '\u0009\u0080\u0000\u0000\u0000\u0000',
    '\u0089\u00fe\u0000\u007e\u0000\u0000\u0000\u0000',
    '\u0088\u0081\u0000\u0000\u0000\u0000x',
  ],
  ...[
    '\u0081\u00ff\u007f\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u0000\u0000\u0000\u0000',
    '\u0081\u00ff\u0000\u0000\u0000\u0001\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000',
    '\u0081\u0081\u0000\u0000\u0000\u0000\u00ff',
    'GET / HTTP/1.1\r\n\r\n',
  ],
].map((frame) => stream('a broken frame', SOCKET + frame));

const growing: Arbitrary<StreamAttack>[] = [
  fc
    .integer({ min: 1, max: 40 })
    .map((n) => stream('requests in a row', GET.concat('\r\n').repeat(n - 1) + LAST, { answers: [n, n] })),
  fc
    .integer({ min: 1, max: 40 })
    .map((n) =>
      stream('a broken request in a row', `${GET.concat('\r\n').repeat(n)}broken\r\n\r\n`, { answers: [1, n + 1] }),
    ),
  fc.integer({ min: 1, max: 20 }).map((n) =>
    stream('refused writes in a row', `${POST}Content-Length: 2\r\n\r\n{}`.repeat(n) + LAST, {
      answers: [n + 1, n + 1],
    }),
  ),
  fc.integer({ min: 1, max: 20 }).map((n) => {
    const body = '{"query":"{ nothing }"}';
    return stream(
      'broken documents in a row',
      `${ASKED}Content-Length: ${body.length}\r\n\r\n${body}`.repeat(n) + LAST,
      { answers: [n + 1, n + 1] },
    );
  }),
  fc
    .integer({ min: 17, max: 60 })
    .map((kb) =>
      stream('an oversized target', `GET /${'a'.repeat(kb * 1024)} HTTP/1.1\r\nHost: a\r\n\r\n`, { status: 431 }),
    ),
  fc
    .integer({ min: 17, max: 60 })
    .map((kb) => stream('an oversized header', `${GET}x: ${'a'.repeat(kb * 1024)}\r\n\r\n`, { status: 431 })),
  fc
    .integer({ min: 1_500, max: 6_000 })
    .map((n) => stream('too many headers', `${GET}${'x-stranger: y\r\n'.repeat(n)}\r\n`, { status: 431 })),
  fc.tuple(fc.constantFrom(GET, POST, KEYED, ASKED, SOCKET), fc.nat(80)).map(([head, cut]) =>
    stream('a head that breaks off', head.slice(0, Math.max(0, head.trimEnd().length - cut)), {
      ends: true,
      answers: [0, 1],
    }),
  ),
  fc
    .uint8Array({ minLength: 1, maxLength: 400 })
    .map((bytes) => stream('any bytes', Buffer.from(bytes).toString('latin1'), { ends: true, answers: [0, 1] })),
];

export const streamAttack: Arbitrary<StreamAttack> = fc.oneof(
  ...[brokenHeads, brokenBodies, lies, endless, upgrades, brokenFrames].map((some) => fc.constantFrom(...some)),
  ...growing,
);
