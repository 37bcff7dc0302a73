/** Holds back what a handler writes to a response of node:http, until it is released or replaced. */

// biome-ignore lint/suspicious/noExplicitAny: node:http overloads these methods, and the arguments are passed on unchanged.
type Method = (...args: any[]) => any;

export type HeldResponse = {
  statusCode: number;
  statusMessage: string;
  write: Method;
  end: Method;
  writeHead: Method;
  flushHeaders: Method;
  // biome-ignore lint/suspicious/noExplicitAny: the values of headers differ between versions of Node's types.
  getHeader(name: string): any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  getHeaders(): any;
  setHeader(name: string, value: string): unknown;
  removeHeader(name: string): void;
  once(event: 'close', listener: () => void): unknown;
};

/** `disconnected`: the connection closed before the handler ended the response. */
export type Ending = 'ended' | 'disconnected' | 'too large';

export type Held = {
  ended: Promise<Ending>;
  /** Whether the connection has closed. */
  hasDisconnected(): boolean;
  /** Sends what was written. */
  release(): void;
  /**
   * Calls `send` to send another response, with the headers from before. A handler that has not ended its own response may continue to write:
   * the chunks are ignored, because a write to an ended response would raise an error for which nobody listens.
   */
  replace(send: () => void): void;
};

export function holdResponse(response: HeldResponse, largestBytes: number): Held {
  const { write, end, writeHead, flushHeaders } = response;
  const originals = { write, end, writeHead, flushHeaders };
  const headersBefore = { ...response.getHeaders() };
  const written = openRecord(largestBytes);
  const holding = {
    write: (...args: unknown[]) => {
      written.write(args);
      callBack(args);
      return true;
    },
    end: (...args: unknown[]) => {
      if (!written.end(args)) callBack(args);
      return response;
    },
    flushHeaders: () => undefined,
  };
  Object.assign(response, holding);
  response.writeHead = (status: number, ...rest) => {
    response.statusCode = status;
    if (typeof rest[0] === 'string') response.statusMessage = rest[0];
    setHeaders(
      response,
      rest.find((one) => typeof one === 'object' && one !== null),
    );
    return response;
  };
  let isClosed = false;
  response.once('close', () => {
    isClosed = true;
    written.close();
  });

  return {
    ended: written.ended,
    hasDisconnected: () => isClosed,
    release: () => {
      Object.assign(response, originals);
      const { writes, ending } = written.take();
      for (const args of writes) response.write(...args);
      response.end(...ending);
    },
    replace: (send) => {
      Object.assign(response, originals);
      response.statusMessage = '';
      for (const name of Object.keys(response.getHeaders())) response.removeHeader(name);
      setHeaders(response, headersBefore);
      send();
      callBack(written.take().ending);
      Object.assign(response, holding);
    },
  };
}

/** What a handler has written. After its end, nothing is added. */
function openRecord(largestBytes: number) {
  let writes: unknown[][] = [];
  let ending: unknown[] = [];
  let length = 0;
  let isOver = false;
  let resolve: (ending: Ending) => void = () => undefined;
  const ended = new Promise<Ending>((settle) => {
    resolve = settle;
  });
  const take = () => {
    const taken = { writes, ending };
    writes = [];
    ending = [];
    return taken;
  };
  const finish = (how: Ending) => {
    if (how !== 'ended') take();
    isOver = true;
    resolve(how);
  };
  const fits = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) length += chunk.length;
    return length <= largestBytes;
  };
  return {
    ended,
    take,
    write: (args: unknown[]) => {
      if (isOver) return;
      if (fits(args[0])) writes.push(copied(args));
      else finish('too large');
    },
    /** Whether the last chunk was recorded. Its callback is then called when the response is sent or replaced. */
    end: (args: unknown[]) => {
      if (isOver) return false;
      if (!fits(args[0])) {
        finish('too large');
        return false;
      }
      ending = args;
      finish('ended');
      return true;
    },
    /** Nobody receives the response any more. */
    close: () => {
      if (isOver) take();
      else finish('disconnected');
    },
  };
}

/** A stream may reuse its buffer after the callback. */
function copied(args: unknown[]): unknown[] {
  const [chunk, encoding] = args;
  const data = chunk instanceof Uint8Array ? chunk.slice() : chunk;
  return typeof encoding === 'string' ? [data, encoding] : [data];
}

function callBack(args: unknown[]): void {
  const callback = args.find((one) => typeof one === 'function');
  if (typeof callback === 'function') queueMicrotask(() => callback());
}

function setHeaders(response: HeldResponse, headers: unknown): void {
  if (typeof headers !== 'object' || headers === null) return;
  if (Array.isArray(headers)) {
    for (let at = 0; at + 1 < headers.length; at += 2) response.setHeader(String(headers[at]), headers[at + 1]);
    return;
  }
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value);
}
