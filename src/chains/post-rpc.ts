import { NodeFault } from './node-answer.ts';

const REQUEST_TIMEOUT_MS = 10_000;
const ANSWER_LIMIT_BYTES = 32 * 1024 * 1024;

/**
 * Posts JSON to a node and returns the status and the text of at most 32 MiB within 10 s. Rejects with a NodeFault (`timeout`,
 * `unreachable`, or `garbage` for a longer text), or with the signal's reason if it is aborted.
 */
export async function postRpc(
  url: string,
  body: string,
  signal?: AbortSignal,
): Promise<{ status: number; text: string }> {
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const { address, authorization } = withoutCredentials(url);
  try {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) },
      body,
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    });
    return { status: answer.status, text: await textOf(answer) };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof NodeFault) throw error;
    if (timeout.aborted) throw new NodeFault('timeout', `The node did not answer within ${REQUEST_TIMEOUT_MS} ms.`);
    throw new NodeFault('unreachable', 'The node could not be reached.', error);
  }
}

async function textOf(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.byteLength;
    if (length > ANSWER_LIMIT_BYTES) {
      throw new NodeFault('garbage', `The node answered with more than ${ANSWER_LIMIT_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}

/** A user and a password in the URL, which `fetch` refuses there, become a header. */
function withoutCredentials(text: string): { address: string; authorization: string | null } {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return { address: text, authorization: null };
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  return { address: url.href, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}
