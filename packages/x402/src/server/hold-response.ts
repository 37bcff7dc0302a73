/** Holds back what a handler writes to a response of node:http, until it is released or discarded. */

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
  /** Forgets what was written and restores the headers from before. */
  discard(): void;
};

export function holdResponse(response: HeldResponse, largestBytes: number): Held {
  const { write, end, writeHead, flushHeaders } = response;
  const headersBefore = { ...response.getHeaders() };
  let writes: unknown[][] = [];
  let ending: unknown[] = [];
  let length = 0;
  let resolve: (ending: Ending) => void = () => undefined;
  const ended = new Promise<Ending>((settle) => {
    resolve = settle;
  });

  const count = (chunk: unknown) => {
    if (typeof chunk === 'string') length += chunk.length;
    else if (chunk instanceof Uint8Array) length += chunk.length;
    if (length <= largestBytes) return true;
    writes = [];
    resolve('too large');
    return false;
  };
  const restore = () => Object.assign(response, { write, end, writeHead, flushHeaders });

  response.write = (...args) => {
    if (count(args[0])) writes.push(copied(args));
    callBack(args);
    return true;
  };
  response.end = (...args) => {
    if (typeof args[0] !== 'function' && !count(args[0])) return response;
    ending = args;
    resolve('ended');
    return response;
  };
  response.writeHead = (status: number, ...rest) => {
    response.statusCode = status;
    if (typeof rest[0] === 'string') response.statusMessage = rest[0];
    setHeaders(
      response,
      rest.find((one) => typeof one === 'object' && one !== null),
    );
    return response;
  };
  response.flushHeaders = () => undefined;
  let isClosed = false;
  response.once('close', () => {
    isClosed = true;
    resolve('disconnected');
  });

  return {
    ended,
    hasDisconnected: () => isClosed,
    release: () => {
      restore();
      for (const args of writes) response.write(...args);
      response.end(...ending);
    },
    discard: () => {
      restore();
      writes = [];
      response.statusMessage = '';
      for (const name of Object.keys(response.getHeaders())) response.removeHeader(name);
      setHeaders(response, headersBefore);
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
