import type { IncomingMessage } from 'node:http';

/**
 * Reads a request's body, or resolves with undefined if it has more than `limitBytes`; the rest is then discarded as it arrives,
 * so that the response can still be sent. Rejects if the connection breaks before the end.
 */
export function readAtMost(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limitBytes) return void chunks.push(chunk);
      chunks.length = 0;
      stop();
      request.resume();
      resolve(undefined);
    };
    const finish = () => {
      stop();
      resolve(Buffer.concat(chunks, length));
    };
    const fail = (cause?: Error) => {
      stop();
      reject(new Error('The request body was not received.', { cause }));
    };
    const stop = () => {
      request.off('data', take).off('end', finish).off('error', fail).off('close', fail);
      // An error of a broken connection without a listener would end the process.
      request.on('error', () => undefined);
    };
    request.on('data', take).on('end', finish).on('error', fail).on('close', fail);
  });
}
