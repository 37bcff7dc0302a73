/** The requirements that every response to an attack must meet. */
import { z } from 'zod';
import { type ErrorCode, errorCatalogue } from '../../../src/errors.ts';
import type { Attack } from './attack.ts';
import type { Answer } from './read-answers.ts';
import type { ByteOutcome, Outcome } from './send-attack.ts';
import type { FrameOutcome } from './send-frames.ts';

/** A violated requirement. Findings of the same kind have the same `cause`. */
export type Finding = { cause: string; words: string };

/** The size of an error response is bounded, except that it names every fault of a body. */
const REFUSAL_BYTES = 64 * 1024;
/** The longest possible response is the introspection of the whole schema. */
const ANSWER_BYTES = 2 * 1024 * 1024;
/** Only the first few errors of a document are reported. Faults of variables are details of a single error. */
const ERRORS_MOST = 10;
const NAMED_TIMES = 24;
/** Codes for a chain without a node and a price without a source, which are not bugs. */
const lawful = new Set<string>(['CHAIN_UNAVAILABLE', 'PRICE_UNAVAILABLE', 'CHAIN_PAUSED']);
const INSIDE =
  /prisma|postgres|node_modules|pg-protocol|graphile|\.ts:\d|\bat \S+ \(|\bat async |SELECT .* FROM|ECONNREFUSED|ENOENT|unhandled/i;
/**
 * Close codes of graphql-ws for an invalid message, missing authorization, a late first message, a duplicate id and a repeated first
 * message, and those of the websocket protocol. 1006 means that the connection was cut without a close frame.
 */
const closes = new Set([1000, 1002, 1003, 1006, 1007, 1009, 4400, 4401, 4403, 4406, 4408, 4409, 4429]);

/** The statuses for a head that is too slow or too large. Their code is VALIDATION_ERROR. */
const headStatuses = new Set([408, 431]);

const code = z.custom<ErrorCode>((value) => typeof value === 'string' && Object.hasOwn(errorCatalogue, value));
const detail = z.object({ param: z.string(), message: z.string() });
const fields = {
  code,
  param: z.string().optional(),
  details: z.array(detail).min(1).optional(),
  requestId: z.string().min(1),
};
const envelope = z.object({
  success: z.literal(false),
  error: z.looseObject({ ...fields, message: z.string().min(1) }),
});
const problem = z.looseObject({
  ...fields,
  type: z.string(),
  title: z.string(),
  status: z.number(),
  detail: z.string().min(1),
});
const graphqlError = z.looseObject({
  message: z.string().min(1),
  extensions: z.looseObject({ ...fields, retryable: z.boolean(), http: z.looseObject({ status: z.number() }) }),
});
const graphqlAnswer = z.looseObject({ errors: z.array(graphqlError).optional() });
const message = z.looseObject({
  type: z.enum(['connection_ack', 'ping', 'pong', 'next', 'error', 'complete']),
  payload: z.unknown().optional(),
});

/** All violated requirements. Empty if the outcome is correct. */
export function evaluateOutcome(attack: Attack, outcome: Outcome): Finding[] {
  const found = outcome.over === 'websocket' ? evaluateFrames(outcome) : evaluateBytes(attack, outcome);
  return found.map(({ cause, words }) => ({ cause: `${attack.kind}: ${cause}`, words }));
}

/** Whether an outcome is a rejection, which consists only of complete error responses. */
export function isRefusal(outcome: Outcome): boolean {
  if (outcome.over === 'websocket') return !outcome.messages.some((text) => text.includes('"type":"next"'));
  return outcome.answers.every(
    ({ status, body }) => status >= 400 || /^(?:event: next\ndata: )?\{"errors":/.test(body),
  );
}

function evaluateBytes(attack: Attack, outcome: ByteOutcome): Finding[] {
  const { answers, endless, rest, sentBytes } = outcome;
  const findings: Finding[] = answers.flatMap((answer) =>
    evaluateAnswer(answer, { sentBytes, isEmpty: isHead(attack) || isOfImage(attack) }),
  );
  const last = answers.at(-1);
  const report = (cause: string) => findings.push({ cause, words: JSON.stringify(answers).slice(0, 300) });
  if (endless === 'wait') report('neither a response nor a close');
  if (endless === 'flood') report('endless reading of a flood');
  if (rest.length > 0 && last?.status !== 101) report('bytes after the responses');
  const [least, most] = attack.over === 'socket' ? attack.answers : [1, 1];
  if (answers.length < least || answers.length > most)
    report(`${answers.length < least ? 'too few' : 'too many'} responses`);
  const wanted = attack.over === 'socket' ? attack.status : undefined;
  if (wanted !== undefined && last && last.status !== wanted) report(`status ${last.status}, not ${wanted}`);
  return findings;
}

function evaluateAnswer(answer: Answer, request: { sentBytes: number; isEmpty: boolean }): Finding[] {
  const { status, headers, body } = answer;
  const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
  const isEvents = type === 'text/event-stream';
  const text = isEvents ? (/^data: (\{.*)$/m.exec(body)?.[1] ?? '{}') : body;
  const refused = status >= 400 || /^\{"errors":/.test(text);
  const findings: Finding[] = [];
  const report = (cause: string) => findings.push({ cause, words: `${status} ${type} ${text.slice(0, 600)}` });
  if (status !== 101 && !/^[A-Za-z0-9._:-]{1,128}$/.test(headers.get('x-request-id') ?? '')) report('no x-request-id');
  if (!refused && text.length > ANSWER_BYTES) report(`a response of more than ${ANSWER_BYTES} bytes`);
  if ((request.isEmpty && text === '') || (!refused && !/json|event-stream/.test(type))) {
    if (status >= 500) report(`status ${status}`);
    return findings;
  }
  const parsed = parseJson(text);
  const isPage = type === 'text/html' && !/INTERNAL/.test(body);
  if (status >= 500 && !lawful.has(codeOf(parsed))) report(`status ${status}`);
  if (refused && INSIDE.test(text)) report('internals are revealed');
  if (refused && text.length > REFUSAL_BYTES + (isDetailed(parsed) ? NAMED_TIMES * request.sentBytes : 0))
    report(`an error response of more than ${REFUSAL_BYTES} bytes`);
  if (refused && !isPage) findings.push(...evaluateRefusal(parsed, { status, type, text }));
  return findings;
}

/** Checks a rejection by its shape: GraphQL errors, the envelope, or problem details. */
function evaluateRefusal(
  parsed: unknown,
  { status, type, text }: { status: number; type: string; text: string },
): Finding[] {
  const words = `${status} ${type} ${text.slice(0, 600)}`;
  if (typeof parsed === 'object' && parsed !== null && 'errors' in parsed) return evaluateGraphql(parsed, words);
  const shape = type === 'application/problem+json' ? problem : envelope;
  const read = shape.safeParse(parsed);
  if (!read.success) return [{ cause: `an unexpected shape with status ${status}`, words }];
  const found = 'error' in read.data ? envelope.parse(parsed).error.code : problem.parse(parsed).code;
  if (errorCatalogue[found].status !== status && !headStatuses.has(status))
    return [{ cause: `${found} with status ${status}`, words }];
  return [];
}

function evaluateGraphql(parsed: unknown, words: string): Finding[] {
  const read = graphqlAnswer.safeParse(parsed);
  if (!read.success) return [{ cause: 'errors of an unexpected shape', words }];
  const errors = read.data.errors ?? [];
  const bug = errors.find(({ extensions }) => extensions.http.status >= 500 && !lawful.has(extensions.code));
  return [
    ...(bug ? [{ cause: bug.extensions.code, words }] : []),
    ...(errors.length > ERRORS_MOST ? [{ cause: `more than ${ERRORS_MOST} errors`, words }] : []),
  ];
}

function evaluateFrames({ messages, close, unanswered, sentBytes }: FrameOutcome): Finding[] {
  const findings: Finding[] = [];
  const report = (cause: string, words: string) => findings.push({ cause, words: words.slice(0, 600) });
  for (const text of messages) {
    const read = message.safeParse(parseJson(text));
    if (!read.success) {
      report('a message of an unexpected shape', text);
      continue;
    }
    const { type, payload } = read.data;
    const errors = type === 'error' ? { errors: payload } : type === 'next' ? payload : {};
    findings.push(...evaluateGraphql(errors, text.slice(0, 600)));
    if (type === 'error' && text.length > REFUSAL_BYTES + (isDetailed(errors) ? NAMED_TIMES * sentBytes : 0))
      report('an error message that grows with the request', text);
    if (type === 'error' && INSIDE.test(text)) report('internals are revealed', text);
  }
  if (close && !closes.has(close.code)) report(`closed by ${close.code}`, close.reason);
  if (close && INSIDE.test(close.reason)) report('internals are revealed', close.reason);
  if (unanswered.length > 0) report('neither a response nor a close', unanswered.join(' '));
  return findings;
}

/** Browsers request these in an `img` element, so rejections have no body. */
function isOfImage(attack: Attack): boolean {
  return attack.over === 'http' && attack.path.startsWith('/images/');
}

function isHead(attack: Attack): boolean {
  return attack.over === 'http' && attack.method === 'HEAD';
}

/** Whether the response lists every fault of a body or of variables. */
function isDetailed(parsed: unknown): boolean {
  return JSON.stringify(parsed)?.includes('"details":[') ?? false;
}

function codeOf(parsed: unknown): string {
  const shapes = z.looseObject({ code: z.string().optional(), error: z.looseObject({ code: z.string() }).optional() });
  const read = shapes.safeParse(parsed);
  return read.data?.error?.code ?? read.data?.code ?? '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
