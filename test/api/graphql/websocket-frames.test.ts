/** Websocket frames that a client must not send close its connection and leave nothing in the server's streams. */
import { afterEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi();
const printed = [vi.spyOn(console, 'error'), vi.spyOn(console, 'warn')];
afterEach(() => {
  for (const stream of printed) expect(stream).not.toHaveBeenCalled();
});

/** The code and reason with which the server closes the connection after `send`. */
function closedAfter(send: (socket: WebSocket) => void): Promise<{ code: number; reason: string }> {
  const socket = new WebSocket(`${api.url.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws');
  return new Promise((resolve, reject) => {
    socket.once('open', () => send(socket));
    socket.once('error', reject);
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
}

test('closes with 4400 after a message that is invalid or that only a server may send', async () => {
  for (const message of [
    { type: 'connection_ack' },
    { type: 'next', id: '1', payload: {} },
    { type: 'error', id: '1', payload: [{ message: 'x' }] },
    { type: 'nothing' },
    'text',
  ]) {
    const { code } = await closedAfter((socket) => {
      socket.send('{"type":"connection_init"}');
      socket.send(JSON.stringify(message));
    });
    expect(code, JSON.stringify(message)).toBe(4400);
  }
});

test('closes with the code of the protocol after an invalid frame', async () => {
  expect(await closedAfter((socket) => socket.send('x'.repeat(1024 * 1024 + 1)))).toMatchObject({ code: 1009 });
  expect(await closedAfter((socket) => socket.send(Buffer.from([0xff, 0xfe]), { binary: false }))).toMatchObject({
    code: 1007,
  });
  expect(await closedAfter((socket) => socket.send('text', { mask: false }))).toMatchObject({ code: 1002 });
});
